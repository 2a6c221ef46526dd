import { scale_rows } from '../scale/scale-rows.mjs'
import { answersLines } from '../service/answers/bench-answers.mjs'

/**
 * The figures as text for users.
 * @param {any} results
 * @returns {string}
 */
export function tableOf({ rescan, sync, service, scale, answers, aims }) {
  const lines = [
    ...(rescan === undefined ? [] : rescanLines(rescan)),
    ...(sync === undefined ? [] : syncLines(sync)),
    ...(service === undefined ? [] : serviceLines(service)),
    ...(scale === undefined ? [] : scaleLines(scale)),
    ...(answers === undefined ? [] : answersLines(answers)),
    ...aims.map(
      ({ what, aim, found, met }) => `${met ? 'met   ' : 'missed'}  ${what}: ${found}, aim ${aim}`,
    ),
  ]
  return lines.join('\n')
}

function rescanLines(rescan) {
  return [
    `Rescan of ${rescan.files} files in ${rescan.folders} folders; one changed, one added, one removed, exactly these reported`,
    row('find', rescan.find_s, 's'),
    row('sync of the folder', rescan.rescan_s, 's'),
    row('sync of an empty folder', rescan.empty_s, 's'),
    row('rescan: folder less empty', rescan.net_s, 's'),
    row('rescan in times of find', rescan.times_find, 'x'),
    row('processor time', rescan.cpu_s, 's'),
    row('peak memory', rescan.peak_mb, 'MB'),
    '',
  ]
}

function syncLines(sync) {
  const about = `First sync of ${sync.files} files of ${sync.file_bytes} bytes, ${sync.connections} connections`
  return [
    ['local service', sync.local_service],
    ['null service', sync.null_service],
  ].flatMap(([name, figures]) => [
    `${about}, ${name}`,
    row('Sluice, until all are ready', figures.sluice_s, 's'),
    row('bare client', figures.bare_s, 's'),
    row('Sluice', figures.sluice_files_per_s, 'files/s'),
    row('bare client', figures.bare_files_per_s, 'files/s'),
    row('Sluice in shares of the bare', figures.of_bare_rate, ''),
    row('processor time, Sluice', figures.sluice_cpu_s, 's'),
    row('peak memory, Sluice', figures.sluice_peak_mb, 'MB'),
    row('peak memory, bare client', figures.bare_peak_mb, 'MB'),
    '',
  ])
}

const latencies = {
  first_page: 'first page of 100 assets',
  middle_page: 'page in the middle',
  single_read: 'one asset',
  chats_page: 'first page of chats',
  turn_of_rare_word: 'turn, 1 passage in 100',
  turn_of_word_in_all: 'turn, every passage',
}

function serviceLines({ latency, uploads }) {
  return [
    ...latency.flatMap(({ assets, ...figures }) => [
      `Local service with ${assets} assets, one caller`,
      ...Object.entries(latencies).flatMap(([name, title]) => [
        row(`${title}, p50`, figures[name].p50_ms, 'ms'),
        row(`${title}, p99`, figures[name].p99_ms, 'ms'),
      ]),
      '',
    ]),
    `${uploads.uploads} uploads of ${uploads.upload_bytes} bytes at once, ${uploads.waves} waves; memory of the service`,
    `  at the start ${uploads.start_mb} MB, highest in the first wave ${uploads.first_peak_mb} MB`,
    row('highest, later waves', uploads.peak_mb, 'MB'),
    `  after the second wave ${uploads.second_end_mb} MB, after the last ${uploads.end_mb} MB`,
    row('taken', uploads.mb_per_s, 'MB/s'),
    '',
  ]
}

function scaleLines(scale) {
  return scale_rows.flatMap((row) => {
    const measured = scale[row.name]
    return measured === undefined ? [] : scaleRowLines(row, measured)
  })
}

/** @param {import('../scale/scale-rows.mjs').ScaleRow} row */
function scaleRowLines({ name, about, figures }, measured) {
  if (measured.failed !== undefined) return [`${name}: no figures: ${measured.failed}`, '']
  const known = Object.entries(figures).filter(([figure]) => measured[figure] !== undefined)
  return [
    about(measured),
    ...known.map(([figure, [title, unit]]) => row(title, measured[figure], unit)),
    ...(measured.notes ?? []).map((note) => `  ${note}`),
    '',
  ]
}

/** @param {string} name @param {import('./statistics.mjs').Figure} figure @param {string} unit */
function row(name, { median, min, max }, unit) {
  return `  ${name.padEnd(32)}${String(median).padStart(8)} ${unit.padEnd(8)}(${min} to ${max})`
}
