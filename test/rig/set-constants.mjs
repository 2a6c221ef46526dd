// Loaded before the built program. Sets the constants of SLUICE_TEST_CONSTANTS, by section and
// name, in the build that SLUICE_TEST_BUILD names.
const { constants } = await import(`${process.env.SLUICE_TEST_BUILD}/config/schema/constants.js`)
for (const [section, values] of Object.entries(JSON.parse(process.env.SLUICE_TEST_CONSTANTS))) {
  Object.assign(constants[section], values)
}
