import type { AwaitedPeople } from '../chat/conversation/turn-view.js';

/** Whom an approval awaits, where a rule says so. */
export function AwaitedPeopleLine({
  awaits = [],
}: {
  awaits: readonly AwaitedPeople[] | undefined;
}) {
  return awaits.map((people) => (
    <p key={describePeople(people)} className="text-xs text-muted">
      Waits for {describePeople(people)}
      {people.approved === undefined || people.count === 1
        ? ''
        : `; ${people.approved} of ${people.count} approved`}
    </p>
  ));
}

function describePeople({ by, count, notRequester }: AwaitedPeople): string {
  const people = count === 1 ? 'a person' : `${count} people`;
  const others = notRequester ? ', other than who asks' : '';
  return `${people} with the role ${by.join(' or ')}${others}`;
}
