import { agentConfigToWire, readAgentConfig } from '../../governance/decision-tree/agent-config.js';
import { isPlainObject } from '../../platform/json.js';
import { modelFields, settingNames, type Settings } from './model-preferences.js';
import { numberFault } from './preference-rules.js';
import { ValidationDetailError, type ValidationProblem } from '../../http/validation-detail.js';

/** A body may have any number of unknown fields: the answer must not be longer than it. */
const mostUnknown = 20;
const longestKey = 60;
const longestMessage = 300;

/**
 * Reads the fields that a request's body would change. Pure.
 *
 * @throws ValidationDetailError with one entry per field that is wrong; nothing may be saved then.
 */
export function readChange(body: unknown, route: keyof typeof settingNames): Settings {
  const names = settingNames[route];
  if (!isPlainObject(body)) throw new ValidationDetailError([noObject(body, names)]);
  const own = readModelFields(route === 'models' ? body : {});
  const limits = readAgentConfig(body);
  const problems = [
    ...own.problems,
    ...limits.problems.map(({ field, value, message }) =>
      problemOf(field.wireName, message, numberFault(value, field.min)),
    ),
    ...findUnknown(body, names),
  ];
  if (problems.length > 0) throw new ValidationDetailError(problems);
  return { ...own.settings, ...agentConfigToWire(limits.config) };
}

/**
 * Reads which settings a request's body would reset: `fields`, or all of the route's. Other fields are not
 * looked at. Pure.
 *
 * @throws ValidationDetailError for `fields` that are no list, or not of settings of the route.
 */
export function readReset(body: unknown, route: keyof typeof settingNames): string[] {
  const names = settingNames[route];
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

function readModelFields(body: Record<string, unknown>): {
  settings: Settings;
  problems: ValidationProblem[];
} {
  const settings: Settings = {};
  const problems: ValidationProblem[] = [];
  for (const { wireName, rule } of modelFields) {
    const value = body[wireName];
    if (value === undefined) continue;
    const read = rule.read(value);
    if (read !== undefined) settings[wireName] = read;
    else {
      const message = `${wireName} must be ${rule.expected}, not ${JSON.stringify(value)}`;
      problems.push(problemOf(wireName, message, rule.fault(value)));
    }
  }
  return { settings, problems };
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

/** The message ends with the client's own value, of any length. */
function problemOf(wireName: string, message: string, type: string): ValidationProblem {
  return { loc: ['body', wireName], msg: clip(message, longestMessage), type };
}

function clip(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
