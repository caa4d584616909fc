import {
  agentConfigToWire,
  validateAgentConfig,
} from '../../governance/decision-tree/agent-config.js';
import { isPlainObject } from '../../platform/json.js';
import { modelFields, preferenceNames, type PreferenceValues } from './model-preferences.js';
import { numberFault } from './preference-rules.js';
import { ValidationDetailError, type ValidationProblem } from '../../http/validation-detail.js';

/** Limits of the answer: a body may have any number of unknown fields. */
const mostUnknown = 20;
const longestKey = 60;
const longestMessage = 300;

/**
 * Validates the body of a change. Pure.
 *
 * @returns the fields to change.
 *
 * @throws ValidationDetailError with one entry per field that is wrong; nothing may be saved then.
 */
export function validateChange(
  body: unknown,
  route: keyof typeof preferenceNames,
): PreferenceValues {
  const names = preferenceNames[route];
  if (!isPlainObject(body)) throw new ValidationDetailError([noObject(body, names)]);
  const own = validateModelFields(route === 'models' ? body : {});
  const limits = validateAgentConfig(body);
  const problems = [
    ...own.problems,
    ...limits.problems.map(({ field, value, message }) =>
      problemOf(field.wireName, message, numberFault(value, field.min)),
    ),
    ...findUnknown(body, names),
  ];
  if (problems.length > 0) throw new ValidationDetailError(problems);
  return { ...own.values, ...agentConfigToWire(limits.config) };
}

/**
 * Validates the body of a reset. Pure.
 *
 * @returns the names in `fields`, or all of the route's.
 * @throws ValidationDetailError for `fields` that are no list, or that the route does not have.
 */
export function validateReset(body: unknown, route: keyof typeof preferenceNames): string[] {
  const names = preferenceNames[route];
  const fields = isPlainObject(body) ? body['fields'] : undefined;
  if (fields === undefined) return names;
  if (Array.isArray(fields) && fields.every((field) => names.includes(String(field)))) {
    return names.filter((name) => fields.includes(name));
  }
  const given = clip(JSON.stringify(fields), longestKey);
  const message = `fields must be a list of any of ${names.join(', ')}, not ${given}`;
  throw new ValidationDetailError([
    { loc: ['body', 'fields'], msg: message, type: Array.isArray(fields) ? 'enum' : 'list_type' },
  ]);
}

function validateModelFields(body: Record<string, unknown>): {
  values: PreferenceValues;
  problems: ValidationProblem[];
} {
  const values: PreferenceValues = {};
  const problems: ValidationProblem[] = [];
  for (const { wireName, rule } of modelFields) {
    const value = body[wireName];
    if (value === undefined) continue;
    const parsed = rule.parse(value);
    if (parsed !== undefined) values[wireName] = parsed;
    else {
      const message = `${wireName} must be ${rule.expected}, not ${JSON.stringify(value)}`;
      problems.push(problemOf(wireName, message, rule.fault(value)));
    }
  }
  return { values, problems };
}

function findUnknown(body: Record<string, unknown>, names: readonly string[]): ValidationProblem[] {
  return Object.keys(body)
    .filter((key) => !names.includes(key))
    .slice(0, mostUnknown)
    .map((key) => {
      const name = clip(key, longestKey);
      return {
        loc: ['body', name],
        msg: `${name} is not a setting here: send any of ${names.join(', ')}`,
        type: 'extra_forbidden',
      };
    });
}

function noObject(body: unknown, names: readonly string[]): ValidationProblem {
  return {
    loc: ['body'],
    msg: `The request body must be a JSON object with any of ${names.join(', ')}`,
    type: body === undefined ? 'missing' : 'dict_type',
  };
}

/** Bounds the message, which ends with the client's own value. */
function problemOf(wireName: string, message: string, type: string): ValidationProblem {
  return { loc: ['body', wireName], msg: clip(message, longestMessage), type };
}

function clip(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
