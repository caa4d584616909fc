import { ValueStore } from './value-store.js';

export type ThemeChoice = 'system' | 'light' | 'dark';

const STORED = 'turnpike.theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

export const themeChoice = new ValueStore<ThemeChoice>(readChoice());

/** Keeps the page in the theme that was chosen, or the system's. To be called once, before anything is shown. */
export function applyTheme(): void {
  const show = (): void => {
    const choice = themeChoice.get();
    const isDark = choice === 'dark' || (choice === 'system' && prefersDark.matches);
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  };
  prefersDark.addEventListener('change', show);
  themeChoice.subscribe(() => {
    localStorage.setItem(STORED, themeChoice.get());
    show();
  });
  show();
}

function readChoice(): ThemeChoice {
  const stored = localStorage.getItem(STORED);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}
