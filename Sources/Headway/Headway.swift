// The umbrella: one import for the library's modules. It holds nothing of its own.
@_exported public import HeadwayBar
@_exported public import HeadwayForecast
@_exported public import HeadwayLaunch
@_exported public import HeadwayProgress
@_exported public import HeadwayRun
@_exported public import HeadwayTerminal
@_exported public import HeadwayTime
