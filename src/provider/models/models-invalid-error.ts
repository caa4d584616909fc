/** The operator's file of models has a fault; the message names the model and the field. */
export class ModelsInvalidError extends Error {
  constructor(file: string, problems: readonly string[]) {
    const lines = problems.map((problem) => `  - ${problem}`).join('\n');
    super(
      `The models of TURNPIKE_MODELS (${file}) are not valid:\n${lines}\nCorrect the file, and start again.`,
    );
    this.name = 'ModelsInvalidError';
  }
}
