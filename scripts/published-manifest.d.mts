/** See the script. */
export function publishedManifest<Manifest extends { dependencies: Record<string, string> }>(
  manifest: Manifest,
): Pick<Manifest, 'dependencies'>;
