/** Light or dark: what the person chose, or what their system says. */
export type Theme = 'light' | 'dark';

const KEY = 'theme';

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = localStorage.getItem(KEY) ?? '';
}

export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset['theme'];
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function toggleTheme(): void {
  localStorage.setItem(KEY, currentTheme() === 'dark' ? 'light' : 'dark');
  applyTheme();
}
