import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { newFolder } from '../support/suite.js';
import { installReal } from './real/install-real.js';

describe('installing the real SDK', () => {
  it('fails where no registry can be reached, says what to do, and leaves nothing', () => {
    const folder = path.join(newFolder(), 'sdk');
    process.env['TEST_AGENT_SDK'] = folder;
    // Nothing listens there, and nothing is in the cache.
    process.env['npm_config_registry'] = 'http://127.0.0.1:9/';
    process.env['npm_config_cache'] = newFolder();
    process.env['npm_config_fetch_retries'] = '0';
    expect(installReal).toThrow(
      /could not be installed, so nothing was compared with it.*set TEST_AGENT_SDK/,
    );
    expect(existsSync(`${folder}.${process.pid}`)).toBe(false);
    expect(existsSync(folder)).toBe(false);
  });
});
