import * as z from 'zod/mini';
import { parsedBy } from '../../platform/parsing/shapes.js';
import { parseMaker } from '../variable-forms.js';
import { eachOnce, list, secret } from '../variable.js';

const maker = parsedBy(parseMaker, 'must be a maker, as `openai` or `local=http://host:port/v1`');

const keyOf = (variable: string, name: string) =>
  secret(variable, `Key of \`${name}\`. Read where \`TURNPIKE_MAKERS\` lists it.`);

/** Variables of models of other makers than Anthropic. */
export const makerVariables = {
  makers: list(
    'TURNPIKE_MAKERS',
    'Makers whose models turns may name as `maker/model`: `openai`, `google`, `xai`, `mistral`, `deepseek`, `groq`, and `local` for any server of OpenAI’s chat API, with an address where it is not the usual one: `openai,local=http://127.0.0.1:8080/v1` ([other makers](other-makers.md)). Default: none.',
    z.array(maker).check(eachOnce(({ name }) => name)),
  ),
  openaiKey: keyOf('OPENAI_API_KEY', 'openai'),
  googleKey: keyOf('GOOGLE_GENERATIVE_AI_API_KEY', 'google'),
  xaiKey: keyOf('XAI_API_KEY', 'xai'),
  mistralKey: keyOf('MISTRAL_API_KEY', 'mistral'),
  deepseekKey: keyOf('DEEPSEEK_API_KEY', 'deepseek'),
  groqKey: keyOf('GROQ_API_KEY', 'groq'),
  localKey: keyOf('TURNPIKE_LOCAL_KEY', 'local'),
};
