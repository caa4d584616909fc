import { useEffect } from 'react';
import { ValueStore, useValue } from '../hooks/value-store.js';
import { useAwaitedApprovals, usePendingApprovals } from '../api/queries.js';

/** What the page is about, such as a session's title; empty: the name of the page is the title. */
const subject = new ValueStore('');

/** Puts what the page is about into the title of the tab. */
export function useDocumentSubject(text: string | undefined): void {
  useEffect(() => {
    subject.set(text ?? '');
    return () => subject.set('');
  }, [text]);
}

/** Keeps the title of the tab, with the number of open approvals. */
export function DocumentTitle({ page }: { page: string }) {
  const about = useValue(subject);
  const count = useOpenQuestions();
  useEffect(() => {
    const words = about === '' ? page : about;
    document.title = `${count > 0 ? `(${count}) ` : ''}${words} · Turnpike`;
  }, [about, page, count]);
  return null;
}

/** The number of open approvals, own ones and those of others that the caller may answer. */
export function useOpenQuestions(): number {
  const { data: pending = [] } = usePendingApprovals();
  const { data: awaited = [] } = useAwaitedApprovals();
  return pending.length + awaited.length;
}
