// Every metric that deploy/ names is one that the server exposes, of the kind that the expression needs; and every one
// that it exposes is on the dashboard.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import test from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import YAML from 'yaml';
import { startServer } from '../e2e/support/server.mjs';
import { read, top } from './house.mjs';

// Of Prometheus itself.
const OTHERS = new Set(['up']);

const rules = YAML.parse(read('deploy/prometheus/alerts.yaml')).groups.flatMap((group) => group.rules);
const recorded = new Set(rules.flatMap(({ record }) => record ?? []));
const dashboard = JSON.parse(read('deploy/grafana/dashboard.json'));

const expressions = [
  ...rules.map(({ alert, record, expr }) => ({ where: alert ?? record, expr })),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
  ...dashboard.templating.list.flatMap(({ definition }) => {
    const match = /^label_values\((\w+), \w+\)$/.exec(definition ?? '');
    return match ? [{ where: 'a variable', expr: match[1] }] : [];
  }),
  // Grafana puts its own text for these.
].map(({ where, expr }) => ({ where, expr: expr.replaceAll('$__rate_interval', '5m') }));

// The metrics of an expression with the labels they are asked for; throws where it is no PromQL.
function metricsOf({ where, expr }) {
  const found = [];
  parser.parse(expr).iterate({
    enter(node) {
      if (node.type.isError) assert.fail(`${where}: no PromQL at ${node.from}: ${expr}`);
      if (node.name !== 'VectorSelector') return;
      const text = expr.slice(node.from, node.to);
      const [, name, labels = ''] = /^([\w:]+)(?:\{([^]*)\})?$/.exec(text);
      found.push({ name, labels: [...labels.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label, op, value]) => ({ label, op, value })) });
    },
  });
  return found;
}

// What stands before the last part of a histogram's samples.
const family = (name, types) => {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  return types.get(base) === 'histogram' ? base : name;
};

test('every expression is PromQL over metrics that exist', async (t) => {
  const server = await startServer(t);
  const { types, samples } = await server.metrics();
  const wrong = [];
  for (const expression of expressions) {
    for (const { name, labels } of metricsOf(expression)) {
      if (OTHERS.has(name) || recorded.has(name)) continue;
      if (!types.has(family(name, types))) {
        wrong.push(`${expression.where}: ${name} does not exist`);
        continue;
      }
      const own = samples.filter((sample) => sample.name === name);
      if (types.get(name) === 'histogram' || !own.length) wrong.push(`${expression.where}: ${name} has no samples`);
      for (const { label, op, value } of labels) {
        // Added by Prometheus, or chosen by the reader.
        if (label === 'instance' || label === 'job' || value.startsWith('$')) continue;
        const fits = new RegExp(`^(?:${value})$`);
        if (!own.some((sample) => label in sample.labels && (op.includes('~') ? fits.test(sample.labels[label]) : op === '!=' || sample.labels[label] === value))) {
          wrong.push(`${expression.where}: no ${name} has ${label}${op}"${value}"`);
        }
        for (const choice of op === '=~' ? value.split('|') : []) {
          if (!own.some((sample) => sample.labels[label] === choice)) wrong.push(`${expression.where}: no ${name} has ${label}="${choice}"`);
        }
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('every metric is on the dashboard, in base units and with our prefix', async (t) => {
  const server = await startServer(t);
  const { types } = await server.metrics();
  const shown = new Set(expressions.flatMap(metricsOf).map(({ name }) => family(name, types)));
  const wrong = [];
  for (const [name, type] of types) {
    if (!name.startsWith('evenmatch_')) wrong.push(`${name} lacks the prefix`);
    if ((type === 'counter') !== name.endsWith('_total')) wrong.push(`${name} is a ${type}`);
    if (/_(ms|milliseconds|us|micros|percent|mb|kb)(_|$)/.test(name)) wrong.push(`${name} is not in a base unit`);
    if (!shown.has(name)) wrong.push(`${name} is shown nowhere`);
  }
  assert.deepEqual(wrong, []);
});

test('alerts ring when they must and keep still otherwise', (t) => {
  if (spawnSync('promtool', ['--version']).error) return t.skip('no promtool');
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', path.join(top, 'tests/tidy/alerts.yaml')], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});
