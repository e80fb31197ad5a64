public import Foundation
public import HeadwayProgress

extension ProgressNode {
  /// The file that is being processed, nil for none; stored as `ProgressNode.filePath`.
  ///
  /// Setting a URL that is not a file URL sets nil.
  ///
  /// - Complexity: O(values of the node): one lock.
  public var fileURL: URL? {
    get { filePath.map { URL(filePath: $0) } }
    set { filePath = newValue.flatMap { $0.isFileURL ? $0.path(percentEncoded: false) : nil } }
  }
}

extension ProgressSnapshot {
  /// The file that is being processed, nil for none.
  public var fileURL: URL? { self[ProgressKeys.FilePath.self].map { URL(filePath: $0) } }

  /// The files that the node and its descendants are processing.
  public var fileURLs: [URL] {
    (sum(of: ProgressKeys.FilePath.self) ?? []).map { URL(filePath: $0) }
  }
}
