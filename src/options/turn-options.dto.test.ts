import { describe, expect, it } from '@jest/globals';
import { optionRules } from './option-rules.js';
import { TurnOptionsDto } from './turn-options.dto.js';

describe('TurnOptionsDto', () => {
  it('documents every option, and no other', () => {
    // Where the framework keeps the documented fields of a class.
    const key = 'swagger/apiModelPropertiesArray';
    const documented = Reflect.getMetadata(key, TurnOptionsDto.prototype) as string[];
    const options = [...Object.keys(optionRules), 'agentConfig', 'subagentGovernance', 'replaces'];
    expect(documented.map((name) => name.slice(1)).sort()).toEqual(options.sort());
  });
});
