/** Of a Service that is named so or begins so, as Kubernetes names what it puts into every pod. */
const names =
  /^TURNPIKE_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
/** `TURNPIKE_PORT`, or that of a longer name: ours, and theirs only with an address. */
const portName = /^TURNPIKE_(?:[A-Z0-9_]+_)?PORT$/;
const address = /^(?:tcp|udp|sctp):\/\//i;

/**
 * Variables that Kubernetes makes for Services whose names begin with `turnpike`, in every pod beside
 * them: they are no settings of anybody. Names in alphabetical order. Pure.
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
