import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileIn, type fileNames, type Layout, urlOf } from '../layout.ts';
import { CertificateAuthority, newSigningKeys, type Subject } from './certificates.ts';
import { kubeconfigOf } from './kubeconfig.ts';

export interface Identities {
  readonly authority: CertificateAuthority;
  readonly adminToken: string;
}

/** The programs beside the API server, and who they are to it: the users that its own RBAC rules name. */
const programs = {
  controllerManagerUser: { commonName: 'system:kube-controller-manager' },
  schedulerUser: { commonName: 'system:kube-scheduler' },
  // KWOK is the kubelet of every node, and each node's lease keeper: it may do everything.
  kwokUser: { commonName: 'kwok', organizations: ['system:masters'] },
} as const satisfies Partial<Record<keyof typeof fileNames, Subject>>;

/** Writes who is who: the authority, the API server's certificate, the admin's token, a kubeconfig for each program. */
export function writeIdentities(layout: Layout): Identities {
  const authority = new CertificateAuthority('springtide-testbed');
  const adminToken = randomBytes(24).toString('hex');
  const write = (name: keyof typeof fileNames, text: string): void => {
    writeFileSync(fileIn(layout, name), text, { mode: 0o600 });
  };
  write('authority', authority.certificate);
  write('authorityKey', authority.key);
  const server = authority.issueServer('kube-apiserver', ['127.0.0.1', 'localhost', 'kubernetes.default.svc']);
  write('serverCertificate', server.certificate);
  write('serverKey', server.key);
  const accounts = newSigningKeys();
  write('accountKey', accounts.privateKey);
  write('accountPublicKey', accounts.publicKey);
  write('tokens', `${adminToken},admin,admin,"system:masters"\n`);
  const kubeconfig = { url: urlOf(layout), authority: authority.certificate };
  write('adminUser', kubeconfigOf({ ...kubeconfig, user: 'admin', credentials: { token: adminToken } }));
  for (const [name, subject] of Object.entries(programs)) {
    const credentials = { keyPair: authority.issueClient(subject) };
    write(name as keyof typeof programs, kubeconfigOf({ ...kubeconfig, user: subject.commonName, credentials }));
  }
  return { authority, adminToken };
}
