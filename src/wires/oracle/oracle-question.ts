import { ValidationDetailError, type ValidationProblem } from '../../http/validation-detail.js';
import { booleanRule, integerRule } from '../../options/preferences/preference-rules.js';
import { isPlainObject } from '../../platform/json.js';
import {
  optionalField,
  requiredField,
  preferenceField,
  textField,
  textListField,
  type ParsedField,
} from './parse-field.js';

/** The busy policy of a question. */
export type Busy = 'interrupt' | 'reject';

export interface OracleQuestion {
  question: string;
  /** Sources to search; undefined: all. This server has no such sources: see `withoutEffect`. */
  sources: readonly string[] | undefined;
  /** Whether the answer names the tools that found it. */
  explain: boolean;
  model: string | undefined;
  thinking: boolean | undefined;
  /** The limit of one reply of the model, in tokens. */
  maxTokens: number;
  /** Id of a session; undefined: a new one. */
  contextId: string | undefined;
  projectId: string | undefined;
}

const DEFAULT_MAX_TOKENS = 16_000;

const fields = {
  question: requiredField(textField({ min: 1, max: 2_000 })),
  sources: optionalField(textListField(['vault', 'code', 'threads'])),
  explain: optionalField(preferenceField(booleanRule)),
  model: optionalField(textField({ min: 1, max: 200 })),
  thinking: optionalField(preferenceField(booleanRule)),
  max_tokens: optionalField(preferenceField(integerRule({ min: 1_000, max: 100_000 }))),
  context_id: optionalField(textField({ min: 1, max: 200 })),
  project_id: optionalField(
    textField({ min: 1, max: 64, pattern: /^[\w-]+$/, expected: "letters, digits, '_' and '-'" }),
  ),
};

/**
 * Parses a request's body (contract: oracle, section 1). Null counts as absent; other fields are not
 * looked at. Pure.
 *
 * @throws ValidationDetailError with every field that is wrong.
 */
export function parseQuestion(body: unknown): OracleQuestion {
  if (!isPlainObject(body)) {
    const msg = "The request body must be a JSON object with a 'question'";
    const type = body === undefined ? 'missing' : 'dict_type';
    throw new ValidationDetailError([{ loc: ['body'], msg, type }]);
  }
  const problems: ValidationProblem[] = [];
  const parseField = <T>(name: keyof typeof fields, rule: (value: unknown) => ParsedField<T>) => {
    const result = rule(body[name]);
    if ('value' in result) return result.value;
    problems.push({ loc: ['body', name], msg: `${name} ${result.msg}`, type: result.type });
    return undefined;
  };
  const question = parseField('question', fields.question);
  const rest = {
    sources: parseField('sources', fields.sources),
    explain: parseField('explain', fields.explain) ?? false,
    model: parseField('model', fields.model),
    thinking: parseField('thinking', fields.thinking),
    maxTokens: parseField('max_tokens', fields.max_tokens) ?? DEFAULT_MAX_TOKENS,
    contextId: parseField('context_id', fields.context_id),
    projectId: parseField('project_id', fields.project_id),
  };
  if (problems.length > 0 || question === undefined) throw new ValidationDetailError(problems);
  return { question, ...rest };
}

/** @throws ValidationDetailError */
export function parseBusy(value: unknown): Busy {
  if (value === undefined) return 'interrupt';
  if (value === 'interrupt' || value === 'reject') return value;
  const msg = "busy must be 'interrupt' or 'reject'";
  throw new ValidationDetailError([{ loc: ['query', 'busy'], msg, type: 'literal_error' }]);
}

/** The `context_id` of a query; undefined: the newest. @throws ValidationDetailError */
export function parseContextId(value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  const msg = 'context_id must be given once';
  throw new ValidationDetailError([{ loc: ['query', 'context_id'], msg, type: 'string_type' }]);
}
