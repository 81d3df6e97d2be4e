-- One POST, repeated: the body is the first argument, the headers are the others, `name: value` each.
function init(args)
  wrk.method = "POST"
  wrk.body = args[1]
  for at = 2, #args do
    local name, value = args[at]:match("^([^:]+): (.*)$")
    wrk.headers[name] = value
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"count":%d,"durationUs":%d,"bytes":%d,"p50Us":%d,"p99Us":%d,"failures":%d,"refusals":%d}\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
