#pragma once
// Makes classes of Python's of structs that are listed by their members: attributes, equality, text and pickling.
//
//   template <>
//   inline constexpr auto members<Times> = std::tuple(Member{"structure", &Times::structure}, Member{"order", ...});
//   record<Times>(module, "Times");
//
// A value's state is what pickle takes and what is compared: numbers in full, so that not a bit is lost.

#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <variant>

#include "binding.hpp"

namespace matchcount::python {

template <class Class, class Type>
struct Member {
  const char* name;
  Type Class::*place;
};
// A member that is part of the state alone.
template <class Class, class Type>
struct Hidden {
  Type Class::*place;
};
template <class Class, class Type>
Hidden(Type Class::*) -> Hidden<Class, Type>;

template <class T>
inline constexpr auto members = nullptr;

// ---- States.

template <class T, template <class...> class Template>
inline constexpr bool is_of = false;
template <template <class...> class Template, class... Arguments>
inline constexpr bool is_of<Template<Arguments...>, Template> = true;
// Arrays of these, and structs of numbers, which have no padding, are kept as bytes in this machine's order.
template <class T>
inline constexpr bool is_bytes = std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>;
template <class T>
inline constexpr bool is_bytes_alone = is_bytes<T>&& std::is_class_v<T> && !is_of<T, std::optional> &&
                                       !is_of<T, std::variant> && !std::is_same_v<T, std::monostate>;

template <class T>
nb::object state_of(const T& value) {
  if constexpr (std::is_base_of_v<nb::object, T>) {
    return value.is_valid() ? nb::object(value) : nb::none();
  } else if constexpr (std::is_enum_v<T>) {
    return nb::int_(static_cast<int>(value));
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return nb::cast(value);
  } else if constexpr (std::is_same_v<T, Integer> || std::is_same_v<T, Rational>) {
    return to_python(value);
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    return nb::none();
  } else if constexpr (is_bytes_alone<T>) {
    return nb::bytes(&value, sizeof(T));
  } else if constexpr (is_of<T, std::vector>) {
    if constexpr (is_bytes<typename T::value_type>) {
      return nb::bytes(value.data(), value.size() * sizeof(typename T::value_type));
    } else {
      nb::list states;
      for (const auto& entry : value) states.append(state_of(entry));
      return states;
    }
  } else if constexpr (is_of<T, std::optional>) {
    return value ? nb::object(nb::make_tuple(state_of(*value))) : nb::none();
  } else if constexpr (is_of<T, std::variant>) {
    return std::visit([&](const auto& held) { return nb::make_tuple(value.index(), state_of(held)); }, value);
  } else if constexpr (std::is_same_v<T, BipartiteGraph>) {
    return nb::make_tuple(value.num_rows(), value.num_columns(), state_of(value.edges()), state_of(value.weights()));
  } else if constexpr (std::is_same_v<T, UndirectedGraph>) {
    return nb::make_tuple(value.num_vertices(), state_of(value.edges()), state_of(value.weights()));
  } else {
    return std::apply([&](const auto&... member) { return nb::make_tuple(state_of(value.*member.place)...); },
                      members<T>);
  }
}

template <class T>
T from_state(nb::handle state);

template <class T>
std::vector<T> vector_from_bytes(nb::handle state) {
  const auto bytes = nb::cast<nb::bytes>(state);
  if (bytes.size() % sizeof(T) != 0) throw InputError("a pickle whose sizes do not fit", "one of this version");
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <class Variant, std::size_t... index>
Variant variant_from(nb::handle state, std::index_sequence<index...>) {
  const auto which = nb::cast<std::size_t>(state[0]);
  std::optional<Variant> value;
  ((which == index ? void(value.emplace(std::in_place_index<index>,
                                        from_state<std::variant_alternative_t<index, Variant>>(state[1])))
                   : void()),
   ...);
  return std::move(value.value());
}

template <class T>
T from_state(nb::handle state) {
  if constexpr (std::is_base_of_v<nb::object, T>) {
    return state.is_none() ? T() : nb::borrow<T>(state);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(nb::cast<int>(state));
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return nb::cast<T>(state);
  } else if constexpr (std::is_same_v<T, Integer>) {
    return integer_from(state);
  } else if constexpr (std::is_same_v<T, Rational>) {
    return rational_from(state);
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    return {};
  } else if constexpr (is_bytes_alone<T>) {
    return vector_from_bytes<T>(state).at(0);
  } else if constexpr (is_of<T, std::vector>) {
    using Entry = typename T::value_type;
    T values;
    if constexpr (is_bytes<Entry>) {
      return vector_from_bytes<Entry>(state);
    } else {
      for (const nb::handle entry : nb::cast<nb::list>(state)) values.push_back(from_state<Entry>(entry));
    }
    return values;
  } else if constexpr (is_of<T, std::optional>) {
    return state.is_none() ? T() : T(from_state<typename T::value_type>(state[0]));
  } else if constexpr (is_of<T, std::variant>) {
    return variant_from<T>(state, std::make_index_sequence<std::variant_size_v<T>>{});
  } else if constexpr (std::is_same_v<T, BipartiteGraph>) {
    return T::from_edges(nb::cast<Vertex>(state[0]), nb::cast<Vertex>(state[1]),
                         from_state<std::vector<Edge>>(state[2]), from_state<Weights>(state[3]));
  } else if constexpr (std::is_same_v<T, UndirectedGraph>) {
    return T::from_edges(nb::cast<Vertex>(state[0]), from_state<std::vector<Edge>>(state[1]),
                         from_state<Weights>(state[2]));
  } else {
    T value;
    int place = 0;
    std::apply(
        [&](const auto&... member) {
          ((value.*member.place = from_state<std::decay_t<decltype(value.*member.place)>>(state[place++])), ...);
        },
        members<T>);
    return value;
  }
}

// ---- Classes.

template <class T, class Class, class Type>
void bind_member(nb::class_<T>& type, const Member<Class, Type>& member) {
  type.def_ro(member.name, member.place);
}
template <class T, class Class, class Type>
void bind_member(nb::class_<T>&, const Hidden<Class, Type>&) {}

// Declares a class that is compared and pickled by its state, with its members as attributes.
template <class T>
nb::class_<T> record(nb::module_& module, const char* name, const char* doc) {
  nb::class_<T> type(module, name, doc);
  std::apply([&](const auto&... member) { (bind_member(type, member), ...); }, members<T>);
  type.def("__getstate__", [](const T& self) { return state_of(self); })
      .def("__setstate__", [](T& self, nb::handle state) { new (&self) T(from_state<T>(state)); })
      .def(
          "__eq__",
          [](const T& self, nb::handle other) {
            return nb::isinstance<T>(other) && state_of(self).equal(state_of(nb::cast<const T&>(other)));
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"));
  type.def("__hash__", [](nb::handle_t<T> self) { return nb::hash(nb::repr(self)); });
  return type;
}

// The same of a part of an answer, whose attributes are also its entries, as a dict has them.
template <class T>
nb::class_<T> entries(nb::module_& module, const char* name, const char* doc) {
  nb::class_<T> type = record<T>(module, name, doc);
  const auto names = [] {
    nb::list all;
    std::apply([&](const auto&... member) { (all.append(nb::str(member.name)), ...); }, members<T>);
    return nb::typed<nb::list, nb::str>(std::move(all));
  };
  type.def("keys", [names](const T&) { return names(); })
      .def("__getitem__",
           [](nb::handle_t<T> self, const nb::str& key) {
             if (!nb::hasattr(self, key)) throw nb::key_error(key.c_str());
             return nb::borrow<nb::any>(nb::getattr(self, key));
           })
      .def("__repr__", [names, text = std::string(name)](nb::handle_t<T> self) {
        std::string words;
        for (const nb::handle attribute : names())
          words += (words.empty() ? "" : ", ") + nb::cast<std::string>(attribute) + "=" +
                   nb::cast<std::string>(nb::repr(nb::getattr(self, attribute)));
        return text + "(" + words + ")";
      });
  return type;
}

}  // namespace matchcount::python
