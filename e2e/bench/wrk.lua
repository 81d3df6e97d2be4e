-- One POST, repeated: the body is the first argument, the headers are the others, `name: value` each, and leave in that
-- order. wrk itself would send them in the order of a table, another in every run, and V8 compiles for each order anew. A
-- body with the id 1000000 is sent with the ids that follow it, all of the same length: a session takes no id twice at a
-- time.
function init(args)
  local body = args[1]
  local lines = { "POST " .. wrk.path .. " HTTP/1.1", "Host: " .. wrk.headers["Host"] }
  for at = 2, #args do lines[at + 1] = args[at] end
  local head = table.concat(lines, "\r\n") .. "\r\nContent-Length: " .. #body .. "\r\n\r\n"
  wrk.format = function() return head .. body end
  local before, after = body:match('^(.*"id":)1000000(,.*)$')
  if before then countIds(head .. before, after) end
end

function countIds(before, after)
  local id = 1000000
  request = function()
    id = id + 1
    return before .. id .. after
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"count":%d,"durationUs":%d,"bytes":%d,"p50Us":%d,"p99Us":%d,"failures":%d,"refusals":%d}\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
