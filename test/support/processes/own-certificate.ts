import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generate } from 'selfsigned';

export interface CertificateFiles {
  certificate: string;
  key: string;
}

/** Writes a certificate for 127.0.0.1 that is its own authority, and its key, as PEM into a folder. */
export async function writeCertificate(folder: string): Promise<CertificateFiles> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2_048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  const files = { certificate: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') };
  await writeFile(files.certificate, cert);
  await writeFile(files.key, key);
  return files;
}
