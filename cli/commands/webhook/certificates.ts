import { BadInput } from '../../terminal/index.ts';

export type Certificates = 'own' | 'cert-manager';

/** Whose certificate the webhook serves with. */
export function certificatesOf(text: string): Certificates {
  if (text === 'own' || text === 'cert-manager') return text;
  throw new BadInput(`--certificates ${text}: expected own or cert-manager`);
}
