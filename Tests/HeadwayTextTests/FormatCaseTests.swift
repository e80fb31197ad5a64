import HeadwayText
import Testing

/// Cases of tqdm, indicatif and rich about numbers and durations as text (tqdm `tests/tests_tqdm.py`, indicatif
/// `src/format.rs`, rich `tests/test_progress.py`, `test_filesize.py`); a comment names each case.
///
/// Each of them has a form of its own, so these are their numbers in the form of this package.
struct FormatCaseTests {
  // MARK: Durations

  // tqdm test_format_interval: 01:00, 1:42:40 and 66:08:33; negative intervals have a sign there.
  @Test(arguments: [
    (60, "1m00s"), (6_160, "1h42m"), (238_113, "2d18h"), (0, "0s"), (-1, "0s"), (-60, "0s"),
    (-100_000, "0s"),
  ])
  func `Running times have two units at most, and none is negative`(seconds: Int, text: String) {
    #expect(DurationText.whole(.seconds(seconds)) == text)
  }

  // rich test_compact_time_remaining_column, test_time_remaining_column, test_time_remaining_column_elapsed_when_finished:
  // 00:00, 00:59, 01:11, 1:10:10.
  @Test(arguments: [(0, "0s"), (59, "59s"), (60, "1m00s"), (71, "1m11s"), (4_210, "1h10m")])
  func `Times around a minute and an hour change their units there`(seconds: Int, text: String) {
    #expect(DurationText.whole(.seconds(seconds)) == text)
  }

  // indicatif human_duration_less_than_one_second, human_duration_less_than_two_seconds: there, half a second is rounded up.
  @Test(arguments: [
    (0, "0.0s"), (1, "1ms"), (99, "99ms"), (100, "0.1s"), (499, "0.5s"), (500, "0.5s"),
    (999, "1.0s"), (1_499, "1.5s"), (1_500, "1.5s"), (1_999, "2.0s"),
  ])
  func `Measured times below some seconds have tenths, and those that took time are not zero`(
    milliseconds: Int, text: String
  ) {
    #expect(DurationText.measured(.milliseconds(milliseconds)) == text)
  }

  // indicatif human_duration_one_unit, human_duration_two_units, human_duration_three_units: there, there is one unit.
  @Test(arguments: [1, 2, 3])
  func `Whole minutes, hours and days have the next smaller unit, too`(count: Int) {
    #expect(DurationText.whole(.seconds(count)) == "\(count)s")
    #expect(DurationText.whole(.seconds(count * 60)) == "\(count)m00s")
    #expect(DurationText.whole(.seconds(count * 3_600)) == "\(count)h00m")
    #expect(DurationText.whole(.seconds(count * 86_400)) == "\(count)d00h")
  }

  // indicatif human_duration_less_than_one_and_a_half_unit, human_duration_one_and_a_half_unit,
  // human_duration_less_than_two_and_a_half_units, human_duration_two_and_a_half_units: what it rounds to a unit is cut.
  @Test(arguments: [
    (89, "1m29s"), (90, "1m30s"), (149, "2m29s"), (150, "2m30s"), (5_369, "1h29m"),
    (5_370, "1h29m"), (8_999, "2h29m"), (9_000, "2h30m"), (127_799, "1d11h"),
    (127_800, "1d11h"), (216_000, "2d12h"),
  ])
  func `Times between two units are cut at the second one and never rounded up`(
    seconds: Int, text: String
  ) {
    #expect(DurationText.whole(.seconds(seconds)) == text)
    #expect(DurationText.whole(.seconds(seconds) + .milliseconds(999)) == text)
  }

  // MARK: Numbers

  // indicatif human_count; tqdm test_format_num, which has 1e+6.
  @Test(arguments: [
    (42, "42"), (1_337, "1,337"), (7_654, "7,654"), (12_345, "12,345"), (1_000_000, "1,000,000"),
    (1_239_876, "1,239,876"), (1_234_567_890, "1,234,567,890"),
  ])
  func `Whole numbers are complete, with their thousands separated`(number: Int, text: String) {
    #expect(grouped(number) == text)
  }

  // tqdm test_si_format: 999, 9.99k, 99.5k, 100k, 1.00M and so on.
  @Test(arguments: [
    (9, "9 bytes"), (99, "99 bytes"), (999, "999 bytes"), (9_994, "10 kB"), (9_999, "10 kB"),
    (99_499, "99 kB"), (99_999, "100 kB"), (999_499, "999 kB"), (999_999, "1.0 MB"),
    (999_999_999, "1.0 GB"), (999_999_999_999, "1.0 TB"), (999_999_999_999_999, "1,000 TB"),
  ])
  func `A number of bytes is short, and never a thousand of a unit that has a larger one`(
    count: Int, text: String
  ) {
    #expect(byteCount(count) == text)
  }

  // rich test_filesize: test_traditional, test_pick_unit_and_suffix; test_download_progress_uses_decimal_units.
  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (2, "2 bytes"), (50, "50 bytes"), (500, "500 bytes"),
    (1_000, "1 kB"), (1_111, "1 kB"), (1_500_000, "1.5 MB"),
  ])
  func `A byte is a byte, and units are decimal`(count: Int, text: String) {
    #expect(byteCount(count) == text)
  }

  // indicatif progress_bar_percent_precise_with_no_length: there, three more digits.
  @Test(arguments: [(0, "0%"), (0.1, "10%"), (0.5333, "53%"), (0.9999, "99%"), (1, "100%")])
  func `A percentage is whole and cut`(fraction: Double, text: String) {
    #expect(PercentText.whole(fraction) == text)
  }
}
