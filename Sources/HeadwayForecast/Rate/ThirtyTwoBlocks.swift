/// Thirty-two blocks in place, so that no allocation is needed; `[32 of RateBlocks.Block]` needs macOS 26.
@safe
struct ThirtyTwoBlocks: Sendable {
  typealias Block = RateBlocks.Block
  private typealias Four = (Block, Block, Block, Block)
  private typealias Sixteen = (Four, Four, Four, Four)

  static let count = 32
  private var blocks: (Sixteen, Sixteen)

  /// Creates empty blocks.
  init() {
    let four: Four = (Block(), Block(), Block(), Block())
    let sixteen: Sixteen = (four, four, four, four)
    blocks = (sixteen, sixteen)
  }

  subscript(index: Int) -> Block {
    get {
      precondition(index >= 0 && index < Self.count)
      // The tuple is 32 blocks of two numbers without space in between, and the index is one of them.
      return unsafe withUnsafeBytes(of: blocks) {
        unsafe $0.load(fromByteOffset: index &* MemoryLayout<Block>.stride, as: Block.self)
      }
    }
    set {
      precondition(index >= 0 && index < Self.count)
      unsafe withUnsafeMutableBytes(of: &blocks) {
        unsafe $0.storeBytes(
          of: newValue, toByteOffset: index &* MemoryLayout<Block>.stride, as: Block.self)
      }
    }
  }
}
