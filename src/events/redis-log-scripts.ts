/**
 * The head of a turn's log is a hash: `fence` (the attempt that may append), `attempt` and `seq` of
 * the last event, `bytes` of the entries. The rule of `followsOn` is in the append script as well.
 */

/** Keys: log, head. Arguments: attempt, TTL in ms. Answers the cursor of the log's end. */
export const beginScript = `
local head = redis.call('HMGET', KEYS[2], 'fence', 'attempt', 'seq')
local fence = math.max(tonumber(head[1]) or 0, tonumber(ARGV[1]))
redis.call('HSET', KEYS[2], 'fence', fence)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return {tonumber(head[2]) or 0, tonumber(head[3]) or 0}
`;

/**
 * Appends batches of several turns. Keys: log and head of each. Arguments: TTL in ms, from an attempt's
 * first batch and from the turn's last; most bytes; of each, its place (fence; attempt, first seq and last
 * seq of the batch; attempt and seq of the event that must not be missing before an attempt's first; 1 for
 * the turn's last batch, else 0) and its JSON. The channel is the name that log
 * and head begin with.
 *
 * Answers for each: `0` when it was appended, now or before; else `fenced` or `gap` with details.
 */
export const appendScript = `
local function append(log, headKey, place, batch)
  local head = redis.call('HMGET', headKey, 'fence', 'attempt', 'seq', 'bytes')
  local fence, attempt, first, last, before, beforeSeq, isEnd =
    string.match(place, '(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d)')
  fence, attempt, first, last = tonumber(fence), tonumber(attempt), tonumber(first), tonumber(last)
  before, beforeSeq = tonumber(before), tonumber(beforeSeq)
  local current = tonumber(head[1]) or 0
  if fence < current then return {'fenced', current} end

  local endAttempt, endSeq = tonumber(head[2]) or 0, tonumber(head[3]) or 0
  if attempt < endAttempt or (attempt == endAttempt and last <= endSeq) then return 0 end
  local expected = attempt > endAttempt and 1 or endSeq + 1
  local isBehind = endAttempt < before or (endAttempt == before and endSeq < beforeSeq)
  if first ~= expected or (attempt > endAttempt and isBehind) then
    return {'gap', endAttempt, endSeq}
  end

  local bytes = (tonumber(head[4]) or 0) + #batch
  redis.call('XADD', log, attempt .. '-' .. last, 'events', batch)
  while bytes > tonumber(ARGV[3]) and redis.call('XLEN', log) > 1 do
    local oldest = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
    redis.call('XDEL', log, oldest[1])
    bytes = bytes - #oldest[2][2]
  end
  redis.call('HSET', headKey, 'fence', fence, 'attempt', attempt, 'seq', last, 'bytes', bytes)
  if isEnd == '1' or attempt > endAttempt or endSeq == 0 then
    local ttl = isEnd == '1' and ARGV[2] or ARGV[1]
    redis.call('PEXPIRE', log, ttl)
    redis.call('PEXPIRE', headKey, ttl)
  end
  redis.call('PUBLISH', string.sub(log, 1, -5), batch)
  return 0
end

local answers = {}
for i = 1, #KEYS / 2 do
  answers[i] = append(KEYS[2 * i - 1], KEYS[2 * i], ARGV[2 * i + 2], ARGV[2 * i + 3])
end
return answers
`;
