/** A tool's own word on why it failed, written for the model and passed on as it is. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}
