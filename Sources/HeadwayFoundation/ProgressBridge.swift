internal import Foundation
internal import HeadwayLock
internal import HeadwayProgress
