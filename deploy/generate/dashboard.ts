/**
 * The Grafana dashboard: rows of panels over the metrics of scheduler and webhook, titles in English and Chinese. What a
 * scheduler sees of the cluster is shown as its leader sees it.
 */

interface Query {
  readonly expr: string;
  /** Grafana's text for a series, such as `{{model}}`. */
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly queries: readonly Query[];
  readonly type?: 'stat' | 'timeseries';
  readonly isStacked?: boolean;
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const LEADER = 'and on(instance) springtide_leading == 1';
const RATE = '$__rate_interval';

function per(labels: string, metric: string): string {
  return `sum by (${labels}) (rate(${metric}[${RATE}]))`;
}

function quantile(share: number, metric: string, labels = ''): string {
  return `histogram_quantile(${share}, sum by (le${labels}) (rate(springtide_${metric}_bucket[${RATE}])))`;
}

function quantiles(metric: string): Query[] {
  return [0.5, 0.99].map((share) => ({ expr: quantile(share, metric), legend: `p${share * 100}` }));
}

const ROWS: readonly Row[] = [
  {
    title: 'Cards and pods / 卡与 Pod',
    panels: [
      {
        title: 'Leaders / 主副本数',
        type: 'stat',
        unit: 'none',
        queries: [{ expr: 'sum(springtide_leading)', legend: '' }],
      },
      {
        title: 'Cards in the common pool / 共享池覆盖率',
        type: 'stat',
        unit: 'percentunit',
        queries: [{ expr: `springtide_pool_coverage_ratio ${LEADER}`, legend: '' }],
      },
      {
        title: 'Cards held / 已分配卡占比',
        type: 'stat',
        unit: 'percentunit',
        queries: [
          {
            expr: `sum(springtide_cards{state="allocated"} ${LEADER}) / sum(springtide_cards ${LEADER})`,
            legend: '',
          },
        ],
      },
      {
        title: 'Cards by state / 各状态的卡',
        unit: 'none',
        isStacked: true,
        queries: [{ expr: `sum by (state) (springtide_cards ${LEADER})`, legend: '{{state}}' }],
      },
      {
        title: 'Idle cards by model / 各型号空闲卡',
        unit: 'none',
        isStacked: true,
        queries: [{ expr: `sum by (model) (springtide_cards{state="idle"} ${LEADER})`, legend: '{{model}}' }],
      },
      {
        title: 'Cards held, by whose pods / 卡被谁的 Pod 持有',
        unit: 'none',
        queries: [{ expr: `springtide_cards_held ${LEADER}`, legend: '{{scheduler}}' }],
      },
      {
        title: 'Waiting pods by reason / 等待的 Pod（按原因）',
        unit: 'none',
        isStacked: true,
        queries: [{ expr: `sum by (reason) (springtide_pending_pods ${LEADER})`, legend: '{{reason}}' }],
      },
      {
        title: 'Gangs / 成组任务',
        unit: 'none',
        queries: [
          { expr: `springtide_gangs ${LEADER}`, legend: '{{state}}' },
          { expr: 'sum(increase(springtide_gangs_given_back_total[1h]))', legend: 'given back / 1 h' },
        ],
      },
      {
        title: 'From creation to binding / 从创建到绑定',
        unit: 's',
        queries: quantiles('pod_scheduling_duration_seconds'),
      },
    ],
  },
  {
    title: 'Scheduler / 调度器',
    panels: [
      {
        title: 'Binds by answer / 绑定（按应答）',
        unit: 'ops',
        queries: [{ expr: per('answer', 'springtide_binds_total'), legend: '{{answer}}' }],
      },
      {
        title: 'Evictions by reason and answer / 驱逐（按原因与应答）',
        unit: 'ops',
        queries: [{ expr: per('reason, answer', 'springtide_evictions_total'), legend: '{{reason}} {{answer}}' }],
      },
      { title: 'Time of a bind / 绑定耗时', unit: 's', queries: quantiles('bind_duration_seconds') },
      {
        title: 'Time to decide a pod / 单个 Pod 决策耗时',
        unit: 's',
        queries: quantiles('scheduling_attempt_duration_seconds'),
      },
      { title: 'Time of a step / 单步耗时', unit: 's', queries: quantiles('step_duration_seconds') },
      {
        title: 'Pods tried, by result / 尝试放置（按结果）',
        unit: 'ops',
        queries: [{ expr: per('result', 'springtide_scheduling_attempts_total'), legend: '{{result}}' }],
      },
      {
        title: 'Orders in flight, silence of watches / 未应答的指令与监听静默',
        unit: 'none',
        queries: [
          { expr: `springtide_orders_in_flight ${LEADER}`, legend: 'orders' },
          { expr: 'max by (source) (springtide_watch_silence_seconds)', legend: '{{source}} s' },
        ],
      },
      {
        title: 'Watches that are down / 断开的监听',
        unit: 'none',
        queries: [{ expr: 'springtide_watch_connected == 0', legend: '{{instance}} {{source}}' }],
      },
    ],
  },
  {
    title: 'Webhook / 准入 webhook',
    panels: [
      {
        title: 'Questions by outcome / 询问（按结果）',
        unit: 'ops',
        queries: [{ expr: per('path, outcome', 'springtide_admissions_total'), legend: '{{path}} {{outcome}}' }],
      },
      {
        title: 'Time of an answer, p99 / 应答耗时 p99',
        unit: 's',
        queries: [{ expr: quantile(0.99, 'admission_duration_seconds', ', path'), legend: '{{path}}' }],
      },
      {
        title: 'Scale-ins / 缩容',
        unit: 'none',
        queries: [
          {
            expr: 'sum by (outcome, why) (increase(springtide_scale_ins_total[1h]))',
            legend: '{{outcome}} {{why}}',
          },
        ],
      },
      {
        title: 'Certificate is valid for / 证书剩余有效期',
        unit: 's',
        queries: [{ expr: 'springtide_webhook_certificate_expiry_timestamp_seconds - time()', legend: '{{instance}}' }],
      },
    ],
  },
  {
    title: 'Processes / 进程',
    panels: [
      {
        title: 'CPU',
        unit: 'none',
        queries: [
          {
            expr: `rate(process_cpu_seconds_total{job=~"springtide-.*"}[${RATE}])`,
            legend: '{{job}} {{instance}}',
          },
        ],
      },
      {
        title: 'Memory / 内存',
        unit: 'bytes',
        queries: [{ expr: 'process_resident_memory_bytes{job=~"springtide-.*"}', legend: '{{job}} {{instance}}' }],
      },
    ],
  },
];

/** Of Grafana's 24 columns. */
const COLUMNS = 24;
const STAT = { w: 8, h: 4 };
const SERIES = { w: 8, h: 8 };
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

/** As Grafana imports it. */
export function dashboard(): object {
  return {
    uid: 'springtide',
    title: 'Springtide',
    tags: ['springtide', 'gpu'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: { list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }] },
    panels: placed(),
  };
}

/** Panels stand from left to right, and go on below where there is no room. */
function placed(): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const row of ROWS) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
      panels: [],
    });
    y += 1;
    let [x, height] = [0, 0];
    for (const panel of row.panels) {
      const { w, h } = panel.type === 'stat' ? STAT : SERIES;
      if (x + w > COLUMNS) [x, y, height] = [0, y + height, 0];
      panels.push({ id: panels.length + 1, ...panelOf(panel), gridPos: { x, y, w, h } });
      x += w;
      height = Math.max(height, h);
    }
    y += height;
  }
  return panels;
}

function panelOf({ title, unit, queries, type = 'timeseries', isStacked = false }: Panel): object {
  const stacking = { mode: isStacked ? 'normal' : 'none' };
  return {
    type,
    title,
    datasource: DATASOURCE,
    fieldConfig: {
      defaults: { unit, min: 0, ...(type === 'stat' ? {} : { custom: { stacking, fillOpacity: isStacked ? 30 : 0 } }) },
      overrides: [],
    },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
    })),
  };
}
