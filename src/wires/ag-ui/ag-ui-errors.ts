import { invalidRequest, type TypedError } from '../../errors/typed-error.js';
import { sessionBusy } from '../../turn/state/turn-errors.js';

export function threadBusy(): TypedError {
  return sessionBusy(
    "Another run of this thread has not ended. Answer its interrupts with 'resume', wait for its end, or send this one with forwardedProps.turnpike.opts.onBusy 'interrupt', which ends it first.",
  );
}

export function nothingNew(): TypedError {
  return invalidRequest(
    "There is nothing new in the run: send a user message after the assistant's last one, 'resume' entries for its interrupts, or the output of a tool of yours that it waits for as a tool message",
  );
}
