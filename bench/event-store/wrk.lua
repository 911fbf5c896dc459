-- POSTs the bodies of a file, one line each, in turn; says as JSON what came of it.

local requests = {}
local last = 0

function init(arguments)
  for body in io.lines(arguments[1]) do
    local headers = { ["content-type"] = "application/json" }
    requests[#requests + 1] = wrk.format("POST", nil, headers, body)
  end
end

function request()
  last = last % #requests + 1
  return requests[last]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"refused":%d,"broken":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
