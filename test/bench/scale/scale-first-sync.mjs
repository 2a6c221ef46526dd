import { benchFirstSync } from '../first-sync.mjs'

const services = { local: 'local', null: 'null' }

/** @type {import('./scale-rows.mjs').ScaleRow} */
export const first_sync = {
  name: 'first-sync',
  about: ({ files, file_bytes, connections }) =>
    `First sync of ${files} files of ${file_bytes} bytes, ${connections} connections; beside a bare client that reads,\n  hashes and sends them; to the local service and to the null service`,
  figures: Object.fromEntries(
    Object.entries(services).flatMap(([name, title]) => [
      [`${name}_files_per_s`, [title, 'files/s']],
      [`${name}_bare_files_per_s`, [`${title}, bare client`, 'files/s']],
      [`${name}_of_bare_rate`, [`${title}, shares of the bare`, '']],
      [`${name}_cpu_s`, [`${title}, processor time`, 's']],
      [`${name}_peak_mb`, [`${title}, peak memory`, 'MB']],
    ]),
  ),
  aims: Object.keys(services).map((name) => ({ figure: `${name}_of_bare_rate`, min: 0.6 })),
  measure: measureFirstSync,
}

/** @param {import('./scale-rows.mjs').ScaleBench} bench */
async function measureFirstSync({ options, folder }) {
  const { files, file_bytes, connections, ...of_services } = await benchFirstSync(
    options,
    folder('first-sync'),
  )
  const figures = Object.keys(services).map((name) => {
    const measured = of_services[`${name}_service`]
    return {
      [`${name}_files_per_s`]: measured.sluice_files_per_s,
      [`${name}_bare_files_per_s`]: measured.bare_files_per_s,
      [`${name}_of_bare_rate`]: measured.of_bare_rate,
      [`${name}_cpu_s`]: measured.sluice_cpu_s,
      [`${name}_peak_mb`]: measured.sluice_peak_mb,
    }
  })
  return Object.assign({ files, file_bytes, connections }, ...figures)
}
