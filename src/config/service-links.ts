/** Names of variables that Kubernetes makes in every pod for a Service `turnpike` or `turnpike-…`. */
const names =
  /^TURNPIKE_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
/** Names that are ours unless their value is an address: `TURNPIKE_PORT` of a Service is one. */
const portName = /^TURNPIKE_(?:[A-Z0-9_]+_)?PORT$/;
const address = /^(?:tcp|udp|sctp):\/\//i;

/**
 * The variables that Kubernetes makes for Services whose names begin with `turnpike`, in every pod of
 * their namespace. They configure nothing. Names in alphabetical order. Pure.
 */
export function findServiceLinks(environment: Record<string, string | undefined>): string[] {
  return Object.entries(environment)
    .filter(([name, value = '']) => isServiceLink(name, value))
    .map(([name]) => name)
    .toSorted();
}

function isServiceLink(name: string, value: string): boolean {
  return names.test(name) || (portName.test(name) && address.test(value.trim()));
}
