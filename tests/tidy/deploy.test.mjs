// What deploy/ hands to others: well formed, of one mind with each other, and true of the real server where that can be
// tried here. Nothing of it is started in a container or a cluster.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { validate as validateDockerfile } from 'dockerfile-utils';
import * as apps from 'kubernetes-models/apps/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import YAML from 'yaml';
import { binary, runToEnd, startServer } from '../e2e/support/server.mjs';
import { files, read, top } from './house.mjs';

const manifests = files('deploy/kubernetes').flatMap((file) =>
  YAML.parseAllDocuments(read(file)).map((document) => ({ file, object: document.toJS() })),
);
const kind = (name) => manifests.filter(({ object }) => object.kind === name).map(({ object }) => object);
const [statefulSet] = kind('StatefulSet');
const [configMap] = kind('ConfigMap');
const pod = statefulSet.spec.template;
const [container] = pod.spec.containers;
const dockerfile = read('Dockerfile');
const inSeconds = (duration) => Number(/^(\d+)s$/.exec(duration)[1]);

function temporaryFile(t, name, text) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'evenmatch-tidy-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

test('Kubernetes would take every manifest', () => {
  const models = { 'apps/v1': apps, 'policy/v1': policy, v1: core };
  for (const { file, object } of manifests) {
    const Model = models[object.apiVersion]?.[object.kind];
    assert.ok(Model, `${file}: ${object.apiVersion} ${object.kind}`);
    try {
      new Model(object).validate();
    } catch (error) {
      assert.fail(`${file}: ${error.message}`);
    }
  }
});

test('the manifests are of one mind', () => {
  const labels = pod.metadata.labels;
  const picks = (selector) => Object.entries(selector).every(([key, value]) => labels[key] === value);
  assert.equal(statefulSet.spec.replicas, 1);
  assert.ok(picks(statefulSet.spec.selector.matchLabels));
  assert.ok(picks(kind('PodDisruptionBudget')[0].spec.selector.matchLabels));
  const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]));
  const services = kind('Service');
  assert.ok(services.some(({ metadata, spec }) => metadata.name === statefulSet.spec.serviceName && spec.clusterIP === 'None'));
  for (const { spec } of services) {
    assert.ok(picks(spec.selector));
    for (const { targetPort, port } of spec.ports) assert.equal(ports.get(targetPort), port);
  }
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) assert.ok(ports.has(container[probe].httpGet.port));
  assert.equal(String(ports.get('http')), pod.metadata.annotations['prometheus.io/port']);
  assert.deepEqual(pod.spec.volumes.map(({ configMap: map }) => map.name), [configMap.metadata.name]);
});

test('the configurations are valid and leave time to drain', async (t) => {
  const inCluster = configMap.data['evenmatch.yaml'];
  for (const text of [inCluster, read('deploy/evenmatch.yaml')]) {
    const { code, output } = await runToEnd(['--check-config', '--config', temporaryFile(t, 'evenmatch.yaml', text)]);
    assert.equal(code, 0, output);
  }
  const { server } = YAML.parse(inCluster);
  assert.ok(inSeconds(server.drain_grace) < pod.spec.terminationGracePeriodSeconds);
  const byExample = inSeconds(YAML.parse(read('deploy/evenmatch.yaml')).server.drain_grace);
  const { stop_grace_period } = YAML.parse(read('deploy/compose.yaml')).services.evenmatch;
  assert.ok(byExample < inSeconds(stop_grace_period));
  assert.ok(byExample < Number(/^TimeoutStopSec=(\d+)$/m.exec(read('deploy/systemd/evenmatchd.service'))[1]));
  for (const address of [server.grpc_address, server.http_address]) assert.match(address, /^0\.0\.0\.0:/);
});

test('probes ask for what the server answers', async (t) => {
  const server = await startServer(t);
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    assert.equal((await server.get(container[probe].httpGet.path)).status, 200);
  }
  assert.equal((await server.get(pod.metadata.annotations['prometheus.io/path'])).status, 200);

  const [, command] = /^HEALTHCHECK [^[]*CMD (\[[^]*?\])$/m.exec(dockerfile.replace(/\\\n/g, ''));
  const check = (port) => {
    const [program, ...args] = JSON.parse(command).map((part) => part.replaceAll('9080', port));
    return spawnSync(program, args, { encoding: 'utf8', timeout: 10_000 }).status;
  };
  assert.equal(check(server.http.split(':').at(-1)), 0);
  assert.notEqual(check(server.grpc.split(':').at(-1)), 0, 'another answer than 200 is no health');
});

test('the Dockerfile is well formed and its image has what the programs need', () => {
  const said = validateDockerfile(dockerfile).map(({ range, message }) => `${range.start.line + 1}: ${message}`);
  assert.deepEqual(said, []);
  assert.match(dockerfile, /^USER \d+:\d+$/m);
  assert.equal(String(pod.spec.securityContext.runAsUser), /^USER (\d+):/m.exec(dockerfile)[1]);

  const listed = new Set(/--no-install-recommends([^&]*)&&/.exec(dockerfile.replace(/\\\n/g, ''))[1].trim().split(/\s+/));
  const client = path.join(path.dirname(binary), 'evenmatch');
  const libraries = new Set();
  for (const program of [binary, client]) {
    const paths = execFileSync('ldd', [program], { encoding: 'utf8' });
    const names = execFileSync('readelf', ['-d', program], { encoding: 'utf8' }).matchAll(/\(NEEDED\).*\[(.+)\]/g);
    for (const [, name] of names) {
      const found = new RegExp(`^\\s*${name.replace(/[.+]/g, '\\$&')} => (\\S+)`, 'm').exec(paths);
      // All but the loader. Debian knows some below /lib and some below /usr/lib, which is the same folder.
      if (found) libraries.add(`*${found[1].replace(/^\/usr/, '')}`);
    }
  }
  const owners = execFileSync('dpkg-query', ['-S', ...libraries], { encoding: 'utf8' });
  const needed = new Set(owners.trim().split('\n').map((line) => line.split(':')[0]));
  // In every Debian image.
  for (const name of ['libc6', 'libstdc++6', 'libgcc-s1']) needed.delete(name);
  const missing = [...needed].filter((name) => !listed.has(name));
  const idle = [...listed].filter((name) => !needed.has(name) && name !== 'ca-certificates');
  assert.deepEqual({ missing, idle }, { missing: [], idle: [] });
});

test('systemd would take the unit', (t) => {
  if (spawnSync('systemd-analyze', ['--version']).error) return t.skip('no systemd-analyze');
  const unit = read('deploy/systemd/evenmatchd.service').replaceAll('/usr/local/bin/evenmatchd', binary);
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', temporaryFile(t, 'evenmatchd.service', unit)], { encoding: 'utf8' });
  const about = stderr.split('\n').filter((line) => line.includes('evenmatchd.service'));
  assert.deepEqual([status, about], [0, []]);
});

test('every file that deploy/ names is there', () => {
  for (const [, file] of dockerfile.matchAll(/^COPY (?!--from)(\S+) /gm)) assert.ok(existsSync(path.join(top, file)), file);
  const { build, volumes } = YAML.parse(read('deploy/compose.yaml')).services.evenmatch;
  assert.ok(existsSync(path.join(top, 'deploy', build.context, build.dockerfile)));
  for (const volume of volumes) assert.ok(existsSync(path.join(top, 'deploy', volume.split(':')[0])), volume);
});
