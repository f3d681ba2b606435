/** `springtide install`, `upgrade` and `uninstall`. */
export const install = {
  bad: {
    namespace: '--namespace {value}: expected lower-case letters, digits and dashes, 63 at most',
    image: '--image {value}: expected a repository with a tag or a digest, such as registry.example.com/springtide:1.0',
  },
  outcome: {
    created: '{object}: created',
    changed: '{object}: changed',
    unchanged: '{object}: unchanged',
    kept: '{object}: was there before, and stays as it is',
    keptInUse: '{object}: stays, since there is something else in it',
    removed: '{object}: removed',
  },
  failed: '{object}: {why}',
  other: 'Springtide {version} is installed in {namespace}. Nothing was changed.',
  otherVersion: 'To bring it to {version}: springtide upgrade --image IMAGE',
  otherNamespace: 'To move it: springtide uninstall --yes, then install it again.',
  ofHelm: 'Springtide is installed in {namespace} by Helm, which changes and removes it too. Nothing was changed.',
  absent: 'Springtide is not installed here. Nothing was changed.',
  done: 'Springtide {version} is installed in {namespace}. It places pods with schedulerName: {scheduler}.',
  next: 'springtide doctor tells whether it runs.',
  wouldRemove: '{object}: would be removed',
  wouldRemoveCustom: '{kind}: {count} {count:object|objects} of yours would be removed with it',
  askYes: 'Nothing was removed. To remove it: springtide uninstall --yes',
  waiting: 'Pods with schedulerName: {scheduler} that are not placed yet will wait until it is installed again.',
  keptFor: 'In that namespace there is still: {objects}',
  gone: 'Springtide is gone from this cluster.',
} as const;
