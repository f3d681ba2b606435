export { CertificateKeeper, type KeeperOptions, type Served } from './keeper.ts';
