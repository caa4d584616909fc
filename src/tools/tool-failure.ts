/** A tool's failure whose message is written for the model and passed on as it is. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}
