#if os(Linux)
  internal import HeadwayProgress
  internal import HeadwayRun

  extension RelayClient {
    /// What someone asks a publication for.
    struct Question: Sendable {
      /// What has become of a request.
      enum Answer: Sendable {
        case granted
        case refused(RelayRefusal)
        /// The publication or its process has ended.
        case ended
        case failed(RelayError)
      }

      /// What is asked for.
      enum Body: Sendable {
        /// That a node is cancelled, paused or resumed; nil for the first one.
        case node(UInt32?, ProgressMirror.Request)
        /// What only work of its kind knows.
        case control(ControlRequest)
      }

      /// The subscription, the connection and the publication.
      let client: Int
      let connection: Int
      let publication: PublicationID
      let body: Body
      /// Takes the answer; nil if nobody waits for it.
      let answer: (@Sendable (Answer) -> Void)?
    }
  }
#endif
