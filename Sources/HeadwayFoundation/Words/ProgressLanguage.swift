internal import Foundation
internal import HeadwayProgress

/// A language in which progress is described.
enum ProgressLanguage: CaseIterable {
  /// English, also for locales of other languages and scripts.
  case english
  case chinese

  /// Finds the language of a locale.
  init(_ locale: Locale) {
    let language = locale.language
    // Foundation knows the script of a locale that does not name it: that of "zh_TW" is Hant.
    let isSimplified = language.script?.identifier ?? "Hans" == "Hans"
    self = language.languageCode?.identifier == "zh" && isSimplified ? .chinese : .english
  }

  var words: any ProgressWords {
    switch self {
    case .english: EnglishWords()
    case .chinese: ChineseWords()
    }
  }

  /// The plural category of a number according to the Unicode CLDR.
  func category(of count: Int) -> PluralCategory {
    switch self {
    case .english: count == 1 ? .one : .other
    case .chinese: .other
    }
  }
}

/// A plural category of the Unicode CLDR, as far as these languages have it.
enum PluralCategory: CaseIterable {
  case one
  case other
}

/// The files of some work, as the object of a sentence.
enum FilePhrase: Equatable {
  /// One file with a name.
  case named(String)
  case counted(Int)
  /// An unknown number.
  case some
}

/// The phrases of a language; numbers are passed in formatted.
protocol ProgressWords {
  /// A percentage, such as "40% completed".
  func completed(percent: String) -> String
  /// A count with a total, such as "3 of 6".
  func part(_ part: String, of whole: String) -> String
  /// A count without a total, such as "3 completed".
  func completed(count: String) -> String
  /// A speed, such as "1.2 MB/second".
  func speed(_ amount: String) -> String
  /// An amount with its speed, such as "1.2 MB of 3.4 MB (100 kB/second)".
  func amount(_ amount: String, at speed: String) -> String
  /// The remaining time, such as "5 seconds remaining".
  func remaining(_ span: TimeSpan, _ numbers: ProgressNumbers) -> String
  /// Two phrases on one line.
  func joined(_ first: String, _ second: String) -> String
  /// Work on files that goes on, such as "Downloading 4 files…".
  func doing(_ operation: FileOperation?, _ files: FilePhrase, _ numbers: ProgressNumbers) -> String
  /// Finished work on files, such as "Downloaded 4 files".
  func done(_ operation: FileOperation?, _ files: FilePhrase, _ numbers: ProgressNumbers) -> String
  /// Work with an unknown total.
  var working: String { get }
  var paused: String { get }
  var cancelling: String { get }
  var cancelled: String { get }
}

struct EnglishWords: ProgressWords {
  let working = "Working…"
  let paused = "Paused"
  let cancelling = "Cancelling…"
  let cancelled = "Cancelled"

  func completed(percent: String) -> String { "\(percent) completed" }

  func part(_ part: String, of whole: String) -> String { "\(part) of \(whole)" }

  func completed(count: String) -> String { "\(count) completed" }

  func speed(_ amount: String) -> String { "\(amount)/second" }

  func amount(_ amount: String, at speed: String) -> String { "\(amount) (\(speed))" }

  func joined(_ first: String, _ second: String) -> String { "\(first) – \(second)" }

  func remaining(_ span: TimeSpan, _ numbers: ProgressNumbers) -> String {
    let parts = span.parts.map { part in
      "\(numbers.number(part.count)) \(Self.form(of: part.unit, beside: part.count))"
    }
    return "\(parts.joined(separator: ", ")) remaining"
  }

  func doing(
    _ operation: FileOperation?, _ files: FilePhrase, _ numbers: ProgressNumbers
  ) -> String {
    "\(Self.present(operation)) \(phrase(files, numbers))…"
  }

  func done(
    _ operation: FileOperation?, _ files: FilePhrase, _ numbers: ProgressNumbers
  ) -> String {
    "\(Self.past(operation)) \(phrase(files, numbers))"
  }

  private func phrase(_ files: FilePhrase, _ numbers: ProgressNumbers) -> String {
    switch files {
    case .named(let name): return "“\(name)”"
    case .counted(let count):
      let noun = ProgressLanguage.english.category(of: count) == .one ? "file" : "files"
      return "\(numbers.number(count)) \(noun)"
    case .some: return "files"
    }
  }

  private static func form(of unit: TimeSpan.Unit, beside count: Int) -> String {
    switch (unit, ProgressLanguage.english.category(of: count)) {
    case (.day, .one): "day"
    case (.day, .other): "days"
    case (.hour, .one): "hour"
    case (.hour, .other): "hours"
    case (.minute, .one): "minute"
    case (.minute, .other): "minutes"
    case (.second, .one): "second"
    case (.second, .other): "seconds"
    }
  }

  private static func present(_ operation: FileOperation?) -> String {
    switch operation {
    case .downloading: "Downloading"
    case .decompressing: "Decompressing"
    case .receiving: "Receiving"
    case .copying: "Copying"
    case .uploading: "Uploading"
    case .duplicating: "Duplicating"
    case nil: "Processing"
    }
  }

  private static func past(_ operation: FileOperation?) -> String {
    switch operation {
    case .downloading: "Downloaded"
    case .decompressing: "Decompressed"
    case .receiving: "Received"
    case .copying: "Copied"
    case .uploading: "Uploaded"
    case .duplicating: "Duplicated"
    case nil: "Processed"
    }
  }
}

/// The phrases of Simplified Chinese.
struct ChineseWords: ProgressWords {
  let working = "正在处理…"
  let paused = "已暂停"
  let cancelling = "正在取消…"
  let cancelled = "已取消"

  func completed(percent: String) -> String { "已完成 \(percent)" }

  func part(_ part: String, of whole: String) -> String { "\(part)（共 \(whole)）" }

  func completed(count: String) -> String { "已完成 \(count)" }

  func speed(_ amount: String) -> String { "\(amount)/秒" }

  func amount(_ amount: String, at speed: String) -> String { "\(amount)，\(speed)" }

  func joined(_ first: String, _ second: String) -> String { "\(first) – \(second)" }

  func remaining(_ span: TimeSpan, _ numbers: ProgressNumbers) -> String {
    let parts = span.parts.map { "\(numbers.number($0.count)) \(Self.name(of: $0.unit))" }
    return "剩余 \(parts.joined(separator: " "))"
  }

  func doing(
    _ operation: FileOperation?, _ files: FilePhrase, _ numbers: ProgressNumbers
  ) -> String {
    "正在\(Self.verb(operation))\(phrase(files, numbers))…"
  }

  func done(
    _ operation: FileOperation?, _ files: FilePhrase, _ numbers: ProgressNumbers
  ) -> String {
    "已\(Self.verb(operation))\(phrase(files, numbers))"
  }

  private func phrase(_ files: FilePhrase, _ numbers: ProgressNumbers) -> String {
    switch files {
    case .named(let name): "“\(name)”"
    case .counted(let count): " \(numbers.number(count)) 个文件"
    case .some: "文件"
    }
  }

  private static func name(of unit: TimeSpan.Unit) -> String {
    switch unit {
    case .day: "天"
    case .hour: "小时"
    case .minute: "分钟"
    case .second: "秒"
    }
  }

  private static func verb(_ operation: FileOperation?) -> String {
    switch operation {
    case .downloading: "下载"
    case .decompressing: "解压缩"
    case .receiving: "接收"
    case .copying: "拷贝"
    case .uploading: "上传"
    case .duplicating: "复制"
    case nil: "处理"
    }
  }
}
