/** Resources of networks: never cards, and not worth a line under "unknown". */
const NETWORK = [
  /^rdma\//,
  /\/hca/,
  /\/sriov/,
  /[/_-](?:rdma|roce|sriov|infiniband|ib|efa|hostdev)(?:[_-]|$)/,
  /^vpc\.amazonaws\.com\//,
  /^networking\.gke\.io\.networks\//,
];

export function isNetworkResource(name: string): boolean {
  return NETWORK.some((pattern) => pattern.test(name));
}
