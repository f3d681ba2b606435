import { expect, test } from 'vitest';
import { certificatesOf } from './certificates.ts';

test('certificates are its own or those of cert-manager; anything else is bad input that says so', () => {
  expect(['own', 'cert-manager'].map(certificatesOf)).toEqual(['own', 'cert-manager']);
  expect(() => certificatesOf('theirs')).toThrow('--certificates theirs: expected own or cert-manager');
});
