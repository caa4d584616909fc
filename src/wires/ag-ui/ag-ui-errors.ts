import { invalidRequest, type TypedError } from '../../errors/typed-error.js';

export function nothingNew(): TypedError {
  return invalidRequest(
    "There is nothing new in the run: send a user message after the assistant's last one, 'resume' entries for its interrupts, or the output of a tool of yours that it waits for as a tool message",
  );
}
