// devices: what this machine and this build have.

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "apps/json.hpp"
#include "apps/machine.hpp"
#include "apps/text.hpp"

namespace matchcount::app {

void run_devices(const Options& options) {
  if (!options.arguments.empty()) throw UsageError("devices", "devices takes no FILE");
  const Machine machine = this_machine();
  if (options.json) {
    Json object = json_header(options);
    Json cpu = {{"name", "cpu"},
                {"model", machine.cpu_model},
                {"architecture", machine.architecture},
                {"cores", machine.usable_cores},
                {"instruction_set", machine.instruction_set},
                {"memory_bytes", machine.memory_bytes},
                {"available_memory_bytes", machine.available_memory_bytes}};
    object["devices"] = Json::array({cpu});
    object["backends"] = {{"cpu", true}, {"cuda", false}, {"mpi", false}};
    write_answer(dump(object));
    return;
  }
  write_answer(table({{"cpu", machine.cpu_model + " (" + machine.architecture + ")"},
                      {"", format_count(machine.usable_cores, "core", "cores") + " usable, " + machine.instruction_set +
                               ", " + format_bytes(static_cast<double>(machine.memory_bytes)) + " of memory, " +
                               format_bytes(static_cast<double>(machine.available_memory_bytes)) + " available"},
                      {"cuda", "not built"},
                      {"mpi", "not built"}},
                     ""));
}

}  // namespace matchcount::app
