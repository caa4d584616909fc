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
 * Keys: log, head. Arguments: fence; attempt, first seq, last seq and JSON of the batch; TTL in ms;
 * channel; most bytes; attempt and seq of the event that must not be missing before an attempt's first.
 */
export const appendScript = `
local head = redis.call('HMGET', KEYS[2], 'fence', 'attempt', 'seq', 'bytes')
local fence = tonumber(ARGV[1])
local current = tonumber(head[1]) or 0
if fence < current then return {'fenced', current} end

local endAttempt, endSeq = tonumber(head[2]) or 0, tonumber(head[3]) or 0
local attempt, first, last = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if attempt < endAttempt or (attempt == endAttempt and last <= endSeq) then return {'repeated'} end
local expected = attempt > endAttempt and 1 or endSeq + 1
local before, beforeSeq = tonumber(ARGV[9]), tonumber(ARGV[10])
local isBehind = endAttempt < before or (endAttempt == before and endSeq < beforeSeq)
if first ~= expected or (attempt > endAttempt and isBehind) then
  return {'gap', endAttempt, endSeq}
end

local bytes = (tonumber(head[4]) or 0) + #ARGV[5]
redis.call('XADD', KEYS[1], attempt .. '-' .. last, 'events', ARGV[5])
while bytes > tonumber(ARGV[8]) and redis.call('XLEN', KEYS[1]) > 1 do
  local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', KEYS[1], oldest[1])
  bytes = bytes - #oldest[2][2]
end
redis.call('HSET', KEYS[2], 'fence', fence, 'attempt', attempt, 'seq', last, 'bytes', bytes)
redis.call('PEXPIRE', KEYS[1], ARGV[6])
redis.call('PEXPIRE', KEYS[2], ARGV[6])
redis.call('PUBLISH', ARGV[7], ARGV[5])
return {'appended'}
`;
