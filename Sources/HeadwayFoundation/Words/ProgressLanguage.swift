internal import Foundation
internal import HeadwayProgress

/// A language that progress is put into.
enum ProgressLanguage: CaseIterable {
  /// English, also for the locales of languages and scripts that are not here.
  case english
  /// Simplified Chinese.
  case chinese

  /// Finds the language of a locale.
  init(_ locale: Locale) {
    let language = locale.language
    // Foundation knows the script of a locale that does not name it: that of "zh_TW" is Hant.
    let isSimplified = language.script?.identifier ?? "Hans" == "Hans"
    self = language.languageCode?.identifier == "zh" && isSimplified ? .chinese : .english
  }

  /// Its words.
  var words: any ProgressWords {
    switch self {
    case .english: EnglishWords()
    case .chinese: ChineseWords()
    }
  }

  /// The plural category of a whole number, after the rules of Unicode's CLDR.
  func category(of count: Int) -> PluralCategory {
    switch self {
    case .english: count == 1 ? .one : .other
    case .chinese: .other
    }
  }
}

/// The forms that nouns take beside numbers, as far as the languages here have them.
enum PluralCategory: CaseIterable {
  /// The form beside 1.
  case one
  /// The form beside all other numbers.
  case other
}

/// How files are spoken of.
enum FilePhrase: Equatable {
  /// One of which the name is known.
  case named(String)
  /// So many.
  case counted(Int)
  /// Some.
  case some
}

/// The phrases of a language; numbers come in as they are to be written.
protocol ProgressWords {
  /// How much is completed, as "40% completed".
  func completed(percent: String) -> String
  /// A part of a whole, as "3 of 6".
  func part(_ part: String, of whole: String) -> String
  /// A count without a whole, as "3 completed".
  func completed(count: String) -> String
  /// A speed, as "1.2 MB/second".
  func speed(_ amount: String) -> String
  /// An amount with its speed, as "1.2 MB of 3.4 MB (100 kB/second)".
  func amount(_ amount: String, at speed: String) -> String
  /// The time that is left, as "5 seconds remaining".
  func remaining(_ span: SpanOfTime, _ numbers: ProgressNumbers) -> String
  /// Two phrases on one line.
  func joined(_ first: String, _ second: String) -> String
  /// What is being done with files, as "Downloading 4 files…".
  func doing(_ operation: FileOperation?, _ files: FilePhrase, _ numbers: ProgressNumbers) -> String
  /// What was done with files, as "Downloaded 4 files".
  func done(_ operation: FileOperation?, _ files: FilePhrase, _ numbers: ProgressNumbers) -> String
  /// Work of which nobody knows how much it is.
  var working: String { get }
  /// Work that waits.
  var paused: String { get }
  /// Work that is about to end early.
  var cancelling: String { get }
  /// Work that has ended early.
  var cancelled: String { get }
}

/// The phrases of English.
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

  func remaining(_ span: SpanOfTime, _ numbers: ProgressNumbers) -> String {
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

  /// Files as the object of a sentence.
  private func phrase(_ files: FilePhrase, _ numbers: ProgressNumbers) -> String {
    switch files {
    case .named(let name): return "“\(name)”"
    case .counted(let count):
      let noun = ProgressLanguage.english.category(of: count) == .one ? "file" : "files"
      return "\(numbers.number(count)) \(noun)"
    case .some: return "files"
    }
  }

  /// The form of a unit beside a number.
  private static func form(of unit: SpanOfTime.Unit, beside count: Int) -> String {
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

  /// What is being done.
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

  /// What was done.
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

  func remaining(_ span: SpanOfTime, _ numbers: ProgressNumbers) -> String {
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

  /// Files as the object of a sentence.
  private func phrase(_ files: FilePhrase, _ numbers: ProgressNumbers) -> String {
    switch files {
    case .named(let name): "“\(name)”"
    case .counted(let count): " \(numbers.number(count)) 个文件"
    case .some: "文件"
    }
  }

  /// The name of a unit.
  private static func name(of unit: SpanOfTime.Unit) -> String {
    switch unit {
    case .day: "天"
    case .hour: "小时"
    case .minute: "分钟"
    case .second: "秒"
    }
  }

  /// What is done.
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
