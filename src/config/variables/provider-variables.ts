import * as z from 'zod/mini';
import { parsedBy } from '../../platform/parsing/shapes.js';
import {
  parseAllowedOrigin,
  parseHostEntry,
  parseMaker,
  parsePrices,
  type ModelPrice,
  parseServerTool,
  cloudNames,
} from '../variable-forms.js';
import {
  choice,
  eachOnce,
  integer,
  list,
  listText,
  optional,
  secret,
  variable,
} from '../variable.js';

const origin = parsedBy(
  parseAllowedOrigin,
  'must be an origin: `https://host[:port]`, or `http://host[:port]`',
);
const plainHost = parsedBy((entry: string) => {
  const host = parseHostEntry(entry);
  return host === undefined || /^\*|:\d+$/.test(host) ? undefined : host;
}, 'must be a host, without scheme and port');
const serverTool = parsedBy(
  parseServerTool,
  'must be web_search[=uses], web_fetch[=uses] or code_execution',
);
const prices = parsedBy(parsePrices, 'must be comma-separated `name=input/output`');

const maker = parsedBy(
  parseMaker,
  'must be a maker, as `openai`, `local=http://host:port/v1` or `NAME=PACKAGE@https://host/v1`',
);

const keyOf = (variable: string, name: string) =>
  secret(variable, `Key of \`${name}\`. Read where \`TURNPIKE_MAKERS\` lists it.`);

/** Variables of the model and its provider. */
export const providerVariables = {
  provider: choice('TURNPIKE_PROVIDER', {
    about:
      'Which model answers. `auto`: Anthropic if a key is set, otherwise the offline rehearsal model (never with `NODE_ENV=production`).',
    fallback: 'auto',
    values: ['auto', 'anthropic', 'rehearsal'],
  }),
  apiKey: secret(['ANTHROPIC_API_KEY', 'CHIRALITY_ANTHROPIC_API_KEY'], 'Key of the Anthropic API.'),
  providerKey: secret(
    'TURNPIKE_PROVIDER_KEY',
    'Key of the server of `TURNPIKE_PROVIDER_PROFILE`. `anthropic` and `compatible` take `ANTHROPIC_API_KEY` without it; no other server is sent that one.',
  ),
  providerBaseUrl: optional(
    ['TURNPIKE_PROVIDER_BASE_URL', 'CHIRALITY_ANTHROPIC_API_URL'],
    'Base URL of the Messages API, for a gateway or a server of your own. Its origin must be in `TURNPIKE_EGRESS_ALLOW`, unless the server is not Anthropic and on this machine. Default: that of the profile.',
  ),
  providerProfile: choice('TURNPIKE_PROVIDER_PROFILE', {
    about:
      'Which server answers. `anthropic`: the whole API. `compatible`: only what every implementation of the Messages API takes ([gateways](gateways.md)). `bedrock` to `foundry`: [clouds](clouds.md). The others: [local models](local-models.md).',
    fallback: 'anthropic',
    values: [
      'anthropic',
      'compatible',
      'ollama',
      'llama.cpp',
      'lm-studio',
      'vllm',
      'litellm',
      'openrouter',
      ...cloudNames,
    ],
  }),
  serverTools: list(
    'TURNPIKE_SERVER_TOOLS',
    'Tools that the provider runs, which agents may list under `tools`, and the maximum uses in a model call: `web_search=5,web_fetch,code_execution`. Default: none.',
    z.array(serverTool).check(eachOnce(({ name }) => name)),
  ),
  egressAllow: list(
    'TURNPIKE_EGRESS_ALLOW',
    'Allowed origins of the provider. `http://` only to this machine, and to hosts of `TURNPIKE_EGRESS_PRIVATE_HOSTS`. Default: that of the profile, `https://api.anthropic.com`.',
    z.array(origin),
  ),
  egressPrivateHosts: list(
    'TURNPIKE_EGRESS_PRIVATE_HOSTS',
    'Hosts of the provider that may have private addresses, without ports.',
    z.array(plainHost),
  ),
  model: optional(['TURNPIKE_MODEL', 'CHIRALITY_GLOBAL_MODEL'], 'Default model of turns.'),
  fallbacks: variable<string[] | undefined>(
    'TURNPIKE_FALLBACK_MODELS',
    {
      about:
        'Models that go on, in this order, where that of a turn does not answer, and neither the turn nor its agent names others ([failures](../guide/model-failures.md)). Default: none.',
      fallback: undefined,
    },
    listText(z.array(z.string()).check(z.maxLength(5, 'must be five models at most, with commas'))),
  ),
  modelsFile: optional(
    'TURNPIKE_MODELS',
    'JSON file with changed models and your own ([models](../guide/models.md)).',
  ),
  prices: variable<readonly ModelPrice[]>(
    'TURNPIKE_PRICES',
    {
      about:
        'Prices that replace the catalogue’s: dollars per million tokens of input and output, by the beginning of a model’s name: `claude-opus=15/75,claude-sonnet=3/15`.',
      fallback: [],
    },
    prices,
  ),
  maxTokens: integer('TURNPIKE_MAX_TOKENS', {
    about: 'Maximum tokens of a reply.',
    fallback: 16_384,
    min: 1,
    max: 1_000_000,
  }),
  stallTimeoutMs: integer('TURNPIKE_STALL_TIMEOUT_MS', {
    about: 'Maximum silence of the provider in a stream.',
    fallback: 60_000,
    min: 100,
    max: 300_000,
  }),
  requestTimeoutMs: integer('TURNPIKE_REQUEST_TIMEOUT_MS', {
    about: 'Maximum wait until the provider begins to answer.',
    fallback: 90_000,
    min: 100,
    max: 300_000,
  }),
  providerRetries: integer('TURNPIKE_PROVIDER_RETRIES', {
    about: 'Retries of a model call that fails before the first event of its reply.',
    fallback: 2,
    min: 0,
    max: 10,
  }),
  overloadRetries: integer('TURNPIKE_OVERLOAD_RETRIES', {
    about: 'Retries of a step whose stream fails with an overload before its first text.',
    fallback: 2,
    min: 0,
    max: 10,
  }),
  makers: list(
    'TURNPIKE_MAKERS',
    'Makers whose models turns may name as `maker/model`: `openai`, `google`, `xai`, `mistral`, `deepseek`, `groq`, and `local` for any server of OpenAI’s chat API, with an address where it is not the usual one: `openai,local=http://127.0.0.1:8080/v1`; any other by its package and address: `cerebras=@ai-sdk/cerebras@https://api.cerebras.ai/v1` ([other makers](other-makers.md)); and other places of Claude, `anthropic` or a cloud ([clouds](clouds.md#several-places)). Default: none.',
    z.array(maker).check(eachOnce(({ name }) => name)),
  ),
  openaiKey: keyOf('OPENAI_API_KEY', 'openai'),
  googleKey: keyOf('GOOGLE_GENERATIVE_AI_API_KEY', 'google'),
  xaiKey: keyOf('XAI_API_KEY', 'xai'),
  mistralKey: keyOf('MISTRAL_API_KEY', 'mistral'),
  deepseekKey: keyOf('DEEPSEEK_API_KEY', 'deepseek'),
  groqKey: keyOf('GROQ_API_KEY', 'groq'),
  localKey: keyOf('TURNPIKE_LOCAL_KEY', 'local'),
  makerKeys: secret(
    'TURNPIKE_MAKER_KEYS',
    'Keys of makers that `TURNPIKE_MAKERS` names by their package: `cerebras=KEY,together=KEY`.',
  ),
};
