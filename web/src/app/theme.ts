import { ValueStore } from '../hooks/value-store.js';

export type ThemeChoice = 'system' | 'light' | 'dark';

const STORED = 'turnpike.theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

export const themeChoice = new ValueStore<ThemeChoice>(loadChoice());

/** Applies the chosen theme, or the system's, now and after changes. Called once, before the first render. */
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

function loadChoice(): ThemeChoice {
  const stored = localStorage.getItem(STORED);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}
