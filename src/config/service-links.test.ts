import { describe, expect, it } from '@jest/globals';
import { ConfigError, parseConfig, findServiceLinks } from './config.js';
import { variables } from './variables.js';

/** The variables of a pod for a Service `turnpike` with two named ports and a Service `turnpike-api`. */
const pod = {
  TURNPIKE_SERVICE_HOST: '10.96.0.12',
  TURNPIKE_SERVICE_PORT: '4400',
  TURNPIKE_SERVICE_PORT_HTTP: '4400',
  TURNPIKE_SERVICE_PORT_SIDE_CAR: '9090',
  TURNPIKE_PORT: 'tcp://10.96.0.12:4400',
  TURNPIKE_PORT_4400_TCP: 'tcp://10.96.0.12:4400',
  TURNPIKE_PORT_4400_TCP_PROTO: 'tcp',
  TURNPIKE_PORT_4400_TCP_PORT: '4400',
  TURNPIKE_PORT_4400_TCP_ADDR: '10.96.0.12',
  TURNPIKE_PORT_53_UDP: 'udp://10.96.0.12:53',
  TURNPIKE_API_SERVICE_HOST: '10.96.0.13',
  TURNPIKE_API_SERVICE_PORT: '80',
  TURNPIKE_API_PORT: 'tcp://10.96.0.13:80',
  TURNPIKE_API_PORT_80_TCP_ADDR: '10.96.0.13',
};

describe('findServiceLinks', () => {
  it('finds all that Kubernetes makes', () => {
    expect(findServiceLinks({ ...pod, PATH: '/bin', REDIS_URL: 'tcp://x' })).toEqual(
      Object.keys(pod).toSorted(),
    );
  });

  it('finds no variable of ours', () => {
    const names = Object.values(variables).flatMap((variable) => [...variable.names]);
    expect(findServiceLinks(Object.fromEntries(names.map((name) => [name, '80'])))).toEqual([]);
  });

  it.each([
    'TURNPIKE_PORTS',
    'TURNPIKE_LISTEN_PORT',
    'TURNPIKE_PORT_TCP',
    'TURNPIKE_SERVICE_HOSTS',
  ])('leaves a mistake one: %s', (name) => {
    expect(findServiceLinks({ [name]: '80' })).toEqual([]);
    expect(() => parseConfig({ [name]: '80' })).toThrow(ConfigError);
  });
});

describe('parseConfig in a pod', () => {
  it('starts, on the port that it would have without', () => {
    expect(parseConfig(pod)).toMatchObject({ port: 4400, host: '127.0.0.1' });
    expect(parseConfig({ ...pod, TURNPIKE_PORT: '80' })).toMatchObject({ port: 80 });
  });

  it('still refuses an unknown variable', () => {
    expect(() => parseConfig({ ...pod, TURNPIKE_PROT: '1' })).toThrow('TURNPIKE_PROT is not');
  });
});
