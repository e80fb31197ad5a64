// Our side of the timer benchmark, with one case in each process, as timer-peers measures the others.
//
//   timer-wheel wheel CASE COUNT
//       CASE is one of Trial.swift, which describes the output
//   timer-wheel lane fifo COUNT
//       LaneTrial.swift
//   timer-wheel services CASE COUNT
//       CASE is one of Services.swift
//
// Exits with 69 if there is no such case.

import CProbe
import Glibc

/// Measures a case of the wheel, nil if there is none with that name.
func measureWheel(_ name: String, count: Int) -> [Double]? {
  var trial = Trial(count: count)
  switch name {
  case "arm+cancel": return trial.armAndCancel()
  case "churn": return trial.churn()
  case "fifo": return trial.fifo()
  case "expire": return trial.expire()
  case "jump": return trial.jump()
  case "worst": return trial.worst()
  case "month": return trial.month()
  case "far": return trial.far()
  default: return nil
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[3]), count > 0 else {
  print("timer-wheel: see the comment at the top of its source")
  exit(64)
}
let numbers: [Double]?
switch arguments[1] {
case "wheel":
  probe_pin()
  numbers = measureWheel(arguments[2], count: count)
case "lane" where arguments[2] == "fifo":
  probe_pin()
  var trial = LaneTrial(count: count)
  numbers = trial.fifo()
case "services": numbers = await measureService(arguments[2], count: count)
default: numbers = nil
}
guard let numbers else { exit(69) }
print(numbers.map { "\($0)" }.joined(separator: " "))
