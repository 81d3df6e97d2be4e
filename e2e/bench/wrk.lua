-- One POST, repeated: the body is the first argument, the headers are the others, `name: value` each. A body with the id
-- 1000000 is sent with the ids that follow it, all of the same length: a session takes no id twice at a time.
function init(args)
  wrk.method = "POST"
  wrk.body = args[1]
  for at = 2, #args do
    local name, value = args[at]:match("^([^:]+): (.*)$")
    wrk.headers[name] = value
  end
  local before, after = args[1]:match('^(.*"id":)1000000(,.*)$')
  if before then countIds(before, after) end
end

function countIds(before, after)
  local id = 1000000
  request = function()
    id = id + 1
    return wrk.format(nil, nil, nil, before .. id .. after)
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"count":%d,"durationUs":%d,"bytes":%d,"p50Us":%d,"p99Us":%d,"failures":%d,"refusals":%d}\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
