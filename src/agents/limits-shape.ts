import * as z from 'zod/mini';
import {
  agentConfigFields,
  validateAgentConfig,
} from '../governance/decision-tree/agent-config.js';
import { onWrongType, wholeNumber } from '../parsing/shapes.js';

/** A map of limits by their wire names. */
export const limitsShape = z.pipe(
  z.strictObject(
    Object.fromEntries(
      agentConfigFields.map(({ wireName, min, max }) => [
        wireName,
        z.exactOptional(wholeNumber(min, max)),
      ]),
    ),
    { error: onWrongType('must be a map, for example {max_iterations: 10}') },
  ),
  z.transform((limits) => validateAgentConfig(limits).config),
);
