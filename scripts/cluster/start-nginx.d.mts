export function startNginx(options: {
  apiUrls: string[];
  port?: number;
  /** PEM files. The lines of the configuration that are for TLS are taken. */
  tls?: { certificate: string; key: string };
}): Promise<{ url: string; stop: () => Promise<void> } | undefined>;
