import Testing

@testable import HeadwayFiles

/// Digests under a key.
struct KeyedDigestTests {
  @Test func `A keyed digest is SipHash-2-4`() {
    // The first and last vectors of its authors, with their key of 16 bytes.
    let (first, second) = (UInt64(0x0706_0504_0302_0100), UInt64(0x0f0e_0d0c_0b0a_0908))
    #expect(KeyedDigest.hash([], first, second) == 0x726f_db47_dd0e_0e31)
    #expect(KeyedDigest.hash(Array(0..<15), first, second) == 0xa129_ca61_49be_45e5)
  }
}
