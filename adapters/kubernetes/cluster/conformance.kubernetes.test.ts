import { clusterConformance } from '@springtide/testkit/conformance/cluster';
import { RealWorld } from '@springtide/testkit/conformance/real-cluster';
import { controlPlane } from '@springtide/testkit/controlplane/fixtures';

const plane = controlPlane();
clusterConformance('a real API server', () => RealWorld.open(plane));
